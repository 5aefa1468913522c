# Draws bench/append_keys.svg from results of bench/append_keys:
#   gnuplot -e "results='...tsv ...tsv'; chart='...svg'" bench/append_keys.gnuplot
#
# One cluster of bars for each size and situation: bytes that the index grew by
# for each new row, median of the rounds.

set terminal svg size 1050,440 font 'sans-serif,13' background 'white'
set output chart
set datafile separator '\t'
set title 'Primary key of a version 4 table: growth per new row'
set ylabel 'bytes of index per new row'
set yrange [0:*]
set style data histograms
set style histogram clustered gap 1.5
set style fill solid 0.9 border -1
set grid ytics
set key outside top center horizontal
set xlabel 'old rows, and how the new ones came' offset 0,-0.7
set xtics nomirror
set bmargin 5

# size, situation, then the medians of uuidv7, uuidv8_append, uuidv4
table = sprintf("< grep -h '^[0-9]' %s | cut -f 1,2,4,8 | sort -t '\t' -k1,1n -k2,2 -k3,3 -k4,4n | awk -F '\t' ' \
	{ key = $1 FS $2; if (!(key in seen)) { seen[key] = 1; order[++n] = key } \
	  runs[key, $3]++; values[key, $3, runs[key, $3]] = $4 } \
	function median(key, arm) { return values[key, arm, int((runs[key, arm] + 1) / 2)] } \
	END { for (i = 1; i <= n; i++) { split(order[i], part, FS); \
	  label = part[2] == \"client\" ? \"1 client\" : part[2] == \"clients\" ? \"16 clients\" : \"after deletes\"; \
	  print part[1] / 1e6 \" M\" FS label FS median(order[i], \"uuidv7\") FS median(order[i], \"uuidv8_append\") FS median(order[i], \"uuidv4\") } }'", results)

plot table using 3:xtic(strcol(1)."\n".strcol(2)) title 'version 7' lc rgb '#d95f02', \
	'' using 4 title 'append' lc rgb '#1b9e77', \
	'' using 5 title 'version 4' lc rgb '#7570b3'
