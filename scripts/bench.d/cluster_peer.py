"""What a capable Python programmer would write instead of `symclust cluster`: orjson, prebuilt symbolic caches, a memo.

    cluster_peer.py FILE.jsonl [--processes N] [--keep] [--symcache FILE --image UUID]

lean: the stack of the crashed thread, looked up once for each address, and a count for each group of names.
--keep: like symclust also all other threads, and counts by build and system.
"""
import argparse
import collections
import hashlib
import multiprocessing
import os

import orjson


def chain(node, out):
    while node is not None:
        out.append((node.get("binaryUUID"), node["offsetIntoBinaryTextSegment"]))
        below = node.get("subFrames")
        node = below[0] if below else None


class Names:
    """Addresses to function names, each asked for once."""

    def __init__(self, path, image):
        self.memo, self.image, self.cache = {}, image, None
        if path:
            import symbolic
            self.cache = symbolic.SymCache.open(path)

    def name(self, frame):
        known = self.memo.get(frame)
        if known is None:
            known = f"{frame[0]}+{frame[1]}"
            if self.cache is not None and frame[0] == self.image:
                known = " < ".join(found.symbol for found in self.cache.lookup(frame[1])) or known
            self.memo[frame] = known
        return known


def group(lines, options):
    names = Names(options.symcache, options.image)
    seen, counts, threads = set(), collections.Counter(), []
    for line in lines:
        digest = hashlib.sha256(line).digest()
        if digest in seen:
            continue
        seen.add(digest)
        for diagnostic in orjson.loads(line).get("crashDiagnostics", ()):
            key = None
            for stack in diagnostic["callStackTree"]["callStacks"]:
                if not options.keep and not stack.get("threadAttributed"):
                    continue
                frames = []
                for root in stack["callStackRootFrames"]:
                    chain(root, frames)
                if stack.get("threadAttributed"):
                    key = tuple(names.name(frame) for frame in frames)
                if options.keep:
                    threads.append(frames)
            if options.keep:
                meta = diagnostic["diagnosticMetaData"]
                counts[key, meta["appBuildVersion"], meta["osVersion"]] += 1
            else:
                counts[key] += 1
    return counts


def part(job):
    options, start, end = job
    with open(options.file, "rb") as file:
        file.seek(start)
        if start:
            file.readline()

        def lines():
            while file.tell() <= end:
                line = file.readline()
                if not line:
                    return
                yield line.rstrip(b"\n")

        return group(lines(), options)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("file")
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--keep", action="store_true")
    parser.add_argument("--symcache")
    parser.add_argument("--image")
    options = parser.parse_args()
    size, count = os.path.getsize(options.file), options.processes
    cuts = [size * index // count for index in range(count)] + [size]
    jobs = [(options, cuts[index], cuts[index + 1]) for index in range(count)]
    total = collections.Counter()
    if count == 1:
        total = part(jobs[0])
    else:
        with multiprocessing.Pool(count) as pool:
            for counts in pool.map(part, jobs):
                total.update(counts)
    print(len(total), sum(total.values()))


if __name__ == "__main__":
    main()
