"""What the measures and the readers of logs must do: python3 scripts/evaluate.d/tests.py"""
import sys
import unittest

sys.dont_write_bytecode = True

import hang_matrix
import kernel_logs
import logs
import metrics
import names
import rows
import swift_faults


class Measures(unittest.TestCase):
    def test_a_perfect_partition(self):
        found = metrics.agreement([("a", 1), ("a", 1), ("b", 2)])
        self.assertEqual((found.precision, found.recall, found.f1, found.false_joins, found.clusters), (1, 1, 1, 0, 2))

    def test_b_cubed_by_hand(self):
        # Cluster 1: a a b; cluster 2: b. Precision (2/3 + 2/3 + 1/3 + 1) / 4, recall (1 + 1 + 1/2 + 1/2) / 4.
        found = metrics.agreement([("a", 1), ("a", 1), ("b", 1), ("b", 2)])
        self.assertAlmostEqual(found.precision, 2 / 3)
        self.assertAlmostEqual(found.recall, 3 / 4)
        self.assertAlmostEqual(found.pair_precision, 1 / 3)
        self.assertAlmostEqual(found.pair_recall, 1 / 2)
        self.assertAlmostEqual(found.false_joins, 2 / 4)
        self.assertAlmostEqual(found.purity, 3 / 4)

    def test_refused_items_are_alone(self):
        self.assertEqual(metrics.agreement([("a", None), ("a", None)]).clusters, 2)

    def test_floors_hold_the_whole_and_the_judging_half(self):
        row = rows.Row("k", "set", "what", {"whole": 0.9, "tune": 0.1, "judge": 0.8}, target=0.85)
        self.assertEqual(row.fallen({"k": {"whole": 0.9, "judge": 0.81}}), ["judge"])
        self.assertEqual(row.verdict({}), "below target")
        self.assertEqual(row.fallen({"k": row.floor()}), [])

    def test_a_count_has_a_target_for_each_half(self):
        row = rows.Row("k", "set", "what", {"whole": 3, "tune": 2, "judge": 1}, target={"whole": 3, "tune": 2, "judge": 1})
        self.assertEqual(row.verdict({}), "reached")
        row.values["judge"] = 0
        self.assertEqual(row.verdict({}), "below target")

    def test_a_value_that_is_gone_has_fallen(self):
        self.assertEqual(rows.absent("k", "set", "what", "why").fallen({"k": {"whole": 0.1}}), ["whole"])


class Logs(unittest.TestCase):
    def frame(self, line):
        found = logs.frame(line)
        return found["function"], found["image"], found["file"], found["line"]

    def test_sanitizer(self):
        self.assertEqual(self.frame("    #1 0x4db921 in __asan_memcpy /llvm-project/compiler-rt/lib/asan/a.cpp:22:3"),
                         ("__asan_memcpy", logs.SANITIZER_IMAGE, "a.cpp", 22))
        self.assertEqual(self.frame("#2 0x10c in (anonymous namespace)::f(std::vector<int, std::allocator<int> > const&) /x/y.cpp:9:34"),
                         ("(anonymous namespace)::f(std::vector<int, std::allocator<int> > const&)", None, "y.cpp", 9))
        self.assertEqual(self.frame("#3 0x7f11 in raise (/lib/x86_64-linux-gnu/libc.so.6+0x351)"), ("raise", "libc.so.6", None, None))

    def test_gdb(self):
        self.assertEqual(self.frame("#0  0x00005e30 in a::B<int>::operator() (this=0x7ff, x=...) at /a/b.cpp:975"),
                         ("a::B<int>::operator()", None, "b.cpp", 975))
        self.assertEqual(self.frame("#0  __GI_raise (sig=sig@entry=6) at ../sysdeps/unix/raise.c:50")[1], logs.LIBC_IMAGE)
        self.assertIsNone(self.frame("#5  0x0000000000000000 in ?? ()")[0])

    def test_kernel(self):
        text = "[ 1.0] RIP: 0010:first+0x1/0x2\n[ 1.0] Call Trace:\n[ 1.0]  ? guess+0x1/0x2\n[ 1.0]  second+0x3/0x4 fs/a.c:7\n[ 1.0] foreign\n" \
               "[ 1.0]  third+0x5/0x6\n[ 1.0] ---[ end trace"
        self.assertEqual([f["function"] for f in kernel_logs.stack(text)], ["first", "second", "third"])

    def test_bare_names(self):
        self.assertEqual(names.bare("void a::B<int, c<d>>::f<e>(int) const"), "a::B::f")
        self.assertEqual(names.bare("x::operator<(x) const"), "x::operator<")


class Matrices(unittest.TestCase):
    def test_no_mark_is_left_in_a_source(self):
        faults = swift_faults.planted()
        self.assertEqual(len({fault.id for fault in faults}), len(faults))
        for variants in (frozenset(), frozenset(("closure", "label", "generic", "extension", "never"))):
            text = "".join(swift_faults.sources(faults, variants, recursion=20).values())
            for word in ("NOUN", "MARK", "LABEL", "INLINE", "CLOSURE", "SPLIT", "GENERIC", "RANDOM"):
                self.assertNotIn(word, text)

    def test_a_hang_holds_the_main_thread_for_its_share(self):
        import random
        for sort, ((low, high), _) in hang_matrix.SORTS.items():
            hang = hang_matrix.planted(random.Random(1), 3, sort, low, high)
            inside = sum(weight for path, weight in hang.paths if any("Service.load" in name for _, name in path))
            self.assertTrue(low <= inside <= high)
            self.assertAlmostEqual(sum(weight for _, weight in hang.paths), 1)


if __name__ == "__main__":
    unittest.main()
