import JSON

/// One diagnostic: its payload's digest and its position in it.
struct DiagnosticKey: Hashable {
  var payload: String
  var diagnostic: Int
}

/// Which diagnostics belong together, as labels.
struct Partition {
  var labels: [DiagnosticKey: String] = [:]

  /// The groups without their labels: equal sets mean the same partition.
  var groups: Set<Set<DiagnosticKey>> {
    var members: [String: Set<DiagnosticKey>] = [:]
    for (key, label) in labels { members[label, default: []].insert(key) }
    return Set(members.values)
  }

  /// The partition that lines of `cluster --assignments` say.
  init(assignments: [JSONValue]) {
    for line in assignments {
      labels[DiagnosticKey(payload: line["payload"]?.string ?? "", diagnostic: line.count("diagnostic"))] =
        line["cluster"]?.string ?? ""
    }
  }

  /// The partition of the planted faults.
  init(_ truth: [Sample.Truth]) {
    for line in truth { labels[DiagnosticKey(payload: line.payload, diagnostic: line.diagnostic)] = line.fault }
  }

  /// The part of it that `keys` are in.
  func only(_ keys: Set<DiagnosticKey>) -> Partition {
    var part = self
    part.labels = labels.filter { keys.contains($0.key) }
    return part
  }

  /// B-cubed precision and recall against `truth` (Bagga and Baldwin 1998): for each element the part of its group that
  /// is of its class, and the part of its class that is in its group, averaged over the elements.
  func bCubed(against truth: Partition) -> (precision: Double, recall: Double) {
    var precision = 0.0
    var recall = 0.0
    var both: [[String]: Int] = [:]
    var groups: [String: Int] = [:]
    var classes: [String: Int] = [:]
    for (key, label) in labels {
      let fault = truth.labels[key] ?? ""
      both[[label, fault], default: 0] += 1
      groups[label, default: 0] += 1
      classes[fault, default: 0] += 1
    }
    for (pair, count) in both {
      let shared = Double(count * count)
      precision += shared / Double(groups[pair[0], default: 1])
      recall += shared / Double(classes[pair[1], default: 1])
    }
    let total = Double(max(1, labels.count))
    return (precision / total, recall / total)
  }
}
