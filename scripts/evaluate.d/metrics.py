"""How well a partition into clusters agrees with labels. Items are pairs (label, cluster).

B-cubed: Bagga and Baldwin 1998. An item's precision is the share of its cluster that has its label, its recall the share of its
label that is in its cluster; F1 is the harmonic mean of the means.
"""
import collections
import dataclasses


def pairs(count: int) -> int:
    return count * (count - 1) // 2


@dataclasses.dataclass(frozen=True)
class Agreement:
    """All measures of one partition. A measure without anything to judge is None."""
    items: int
    clusters: int
    precision: float | None
    recall: float | None
    pair_precision: float | None
    pair_recall: float | None
    purity: float | None
    inverse_purity: float | None
    false_joins: float | None   # pairs with different labels in one cluster, of all pairs with different labels

    @property
    def f1(self) -> float | None:
        if self.precision is None:
            return None
        return harmonic(self.precision, self.recall)

    def __str__(self) -> str:
        def three(value):
            return "-" if value is None else f"{value:.3f}"
        return (f"{self.items} items, {self.clusters} clusters, B³ {three(self.precision)}/{three(self.recall)}/{three(self.f1)}, "
                f"pairs {three(self.pair_precision)}/{three(self.pair_recall)}, purity {three(self.purity)}/{three(self.inverse_purity)}")


def harmonic(a: float, b: float) -> float:
    return 2 * a * b / (a + b) if a + b else 0.0


def agreement(items) -> Agreement:
    """Measures the (label, cluster) pairs. An item without a cluster (None) is alone."""
    items = [(label, (number,) if cluster is None else cluster) for number, (label, cluster) in enumerate(items)]
    both = collections.Counter(items)
    labels = collections.Counter(label for label, _ in items)
    clusters = collections.Counter(cluster for _, cluster in items)
    count = len(items)
    if not count:
        return Agreement(0, 0, *[None] * 7)
    together = sum(map(pairs, both.values()))
    joined, same = sum(map(pairs, clusters.values())), sum(map(pairs, labels.values()))
    different = pairs(count) - same
    best_label, best_cluster = collections.Counter(), collections.Counter()
    for (label, cluster), n in both.items():
        best_label[cluster] = max(best_label[cluster], n)
        best_cluster[label] = max(best_cluster[label], n)
    return Agreement(
        items=count, clusters=len(clusters),
        precision=sum(n * n / clusters[cluster] for (_, cluster), n in both.items()) / count,
        recall=sum(n * n / labels[label] for (label, _), n in both.items()) / count,
        pair_precision=together / joined if joined else None, pair_recall=together / same if same else None,
        purity=sum(best_label.values()) / count, inverse_purity=sum(best_cluster.values()) / count,
        false_joins=(joined - together) / different if different else None)


def share(answers) -> float | None:
    """How many of the answers are true, of all."""
    answers = list(answers)
    return sum(answers) / len(answers) if answers else None
