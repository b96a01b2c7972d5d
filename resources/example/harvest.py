import csv
import time

with open("harvest.csv", newline="") as file:
    rows = list(csv.DictReader(file))
print(f"{len(rows)} rows with {', '.join(rows[0])}")

totals = {}
for row in rows:
    time.sleep(0.06)  # slow on purpose: watch the line move
    orchard = row["orchard"]
    totals[orchard] = totals.get(orchard, 0) + int(row["kg"])

largest = max(totals.values())
for orchard in sorted(totals, key=totals.get, reverse=True):
    bar = "█" * round(30 * totals[orchard] / largest)
    print(f"{orchard:<10} {bar} {totals[orchard]:,} kg")

with open("totals.csv", "w", newline="") as file:
    csv.writer(file).writerows(totals.items())
