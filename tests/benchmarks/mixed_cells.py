"""The 60 cells of the mixed session that saving is measured on; other tools run the same."""

from __future__ import annotations

_START = """\
import json, math, random, collections, dataclasses, functools, itertools
import numpy as np
import pandas as pd
import matplotlib
import matplotlib.pyplot as plt
"""
_MADE = """\
rng = np.random.default_rng(1)
sales = pd.DataFrame({"day": np.arange(200_000) % 365, "shop": rng.integers(0, 50, 200_000),
                      "price": rng.random(200_000), "count": rng.integers(1, 9, 200_000)})
image = rng.random((1500, 1500))
words = [f"word {n % 977}" for n in range(200_000)]
"""
_COUNTER = """\
def count():
    n = [0]
    def up():
        n[0] += 1
        return n[0]
    return up
step = count()
"""
_CLUSTERS = """\
def clusters(points, count):
    centres = points[:count]
    for turn in range(10):
        nearest = ((points[:, None] - centres) ** 2).sum(2).argmin(1)
        centres = np.array([points[nearest == n].mean(0) for n in range(count)])
    return centres, nearest
"""
_TOOLS = """\
from sklearn.cluster import KMeans
from sklearn.decomposition import PCA
from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.model_selection import cross_val_score, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
"""
_FEATURES = """\
features = sales[['day', 'shop', 'count']].iloc[:20_000]
target = features['count'] * sales.price.iloc[:20_000]
"""
_LINE = """\
line = LinearRegression().fit(scaler.transform(known), known_target)
print(line.score(scaler.transform(asked), asked_target))
"""
_LEARNING = (
    _TOOLS,
    _FEATURES,
    "known, asked, known_target, asked_target = train_test_split(features, target, random_state=1)",
    "scaler = StandardScaler().fit(known); print(scaler.mean_)",
    _LINE,
    "forest = RandomForestRegressor(20, max_depth=8, random_state=1).fit(known, known_target)",
    "guessed = forest.predict(asked); print(np.abs(guessed - asked_target).mean())",
    "weights = dict(zip(features.columns, forest.feature_importances_)); print(weights)",
    "means_of = KMeans(5, n_init=2, random_state=1).fit(scaler.transform(known))",
    "flat = PCA(2).fit_transform(scaler.transform(known)); print(flat.shape)",
    "pipe = make_pipeline(StandardScaler(), Ridge())",
    "print(cross_val_score(pipe, known, known_target))",
    "pipe.fit(known, known_target); print(pipe[-1].coef_)",
    "plt.scatter(flat[:2000, 0], flat[:2000, 1], c=means_of.labels_[:2000])",
)
_ANALYSIS = (
    "sales.head()",
    "sales.describe()",
    "by_shop = sales.groupby('shop').price.mean()",
    "print(by_shop.sort_values().tail(3))",
    "by_day = sales.groupby('day')[['price', 'count']].sum()",
    "plt.plot(by_day.price); plt.title('by day')",
    "smooth = by_day.rolling(7).mean()",
    "fig, ax = plt.subplots(); ax.hist(image.ravel(), 50)",
    "total = float(sales.price.sum()); print(total)",
    "@dataclasses.dataclass\nclass Shop:\n    number: int\n    mean: float\n",
    "shops = [Shop(n, m) for n, m in by_shop.items()]",
    "best = max(shops, key=lambda shop: shop.mean); print(best)",
    _COUNTER,
    "print(step(), step())",
    "spectrum = np.abs(np.fft.fft2(image))",
    "print(spectrum.shape, spectrum.max())",
    "inverse = np.linalg.inv(image[:400, :400])",
    "counts = collections.Counter(words)",
    "print(counts.most_common(3))",
    "stream = (w for w in words); print(next(stream))",
    "table = sales.pivot_table(index='day', columns='shop', values='price', aggfunc='sum')",
    "plt.imshow(table.to_numpy(), aspect='auto')",
    "merged = sales.merge(by_shop.rename('mean'), left_on='shop', right_index=True)",
    "merged['over'] = merged.price - merged['mean']",
    "print(merged.over.abs().max())",
    "settings = {'alpha': 1, 'beta': [1, 2]}",
    "settings['beta'].append(3); print(settings)",
    "primes = [n for n in range(2, 6000) if all(n % d for d in range(2, int(n ** 0.5) + 1))]",
    "text = ' '.join(words[:1000]); print(len(text))",
    "corr = np.corrcoef(image[:300])",
    _CLUSTERS,
    "centres, nearest = clusters(sales[['price', 'count']].to_numpy(), 6)",
    "means = [float(rng.choice(by_day.price, 365).mean()) for n in range(3000)]",
    "fit = np.linalg.lstsq(image[:, :200], image[:, 200], rcond=None)[0]",
    "inside = sum(random.random() ** 2 + random.random() ** 2 < 1 for n in range(1_000_000))",
    "plt.figure(figsize=(12, 8)); plt.scatter(sales.day[:20000], sales.price[:20000], s=1)",
)
CELLS = (_START, _MADE, *_ANALYSIS, *_LEARNING, *_ANALYSIS[::-1][:8])
