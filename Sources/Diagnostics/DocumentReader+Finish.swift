extension DocumentReader {
  /// Decides what the object that has just ended is, and takes it into the payload.
  mutating func finish(_ level: DocumentLevel) {
    sawIPSHeader = sawIPSHeader || level.isIPSHeader
    if level.isVersion2 {
      if isMixed(level) { return refuseMixed(level) }
      sawVersion2 = true
    }
    fill(level)
    if !level.lists.isEmpty {
      payload.timeStampBegin = payload.timeStampBegin ?? level.beside.metadata.timeStampBegin
      payload.timeStampEnd = payload.timeStampEnd ?? level.beside.metadata.timeStampEnd
      markEnclosing()
    }
    if level.isDiagnostic {
      take(level)
    } else if level.lists.isEmpty, !level.holdsFinding {
      passOver(level)
    } else {
      notes.add(level.notes)
      markEnclosing()
    }
    if let name = level.unknownResult, payload.diagnostics.count > level.firstDiagnostic {
      notes.add(.unknownKind, at: name)
    }
  }

  /// Gives the diagnostics inside an object what the object says around them, where they do not say it themselves: the
  /// window of a payload, the environment of a v2 report.
  private mutating func fill(_ level: DocumentLevel) {
    var around = DiagnosticMetadata()
    if let environment = level.environment { around = environment.metadata }
    around.timeStampBegin = level.beside.metadata.timeStampBegin ?? level.timeRange?.begin
    around.timeStampEnd = level.beside.metadata.timeStampEnd ?? level.timeRange?.end
    around.spansVersions = level.beside.metadata.spansVersions
    guard
      level.environment != nil || around.timeStampBegin != nil || around.timeStampEnd != nil
        || around.spansVersions != nil
    else { return }
    for index in level.firstDiagnostic..<max(level.firstDiagnostic, payload.diagnostics.count) {
      payload.diagnostics[index].metadata.fill(from: around)
      if let environment = level.environment { payload.diagnostics[index].context = environment.context }
    }
  }

  /// Whether a v2 object holds v1 keys or diagnostics as well.
  private func isMixed(_ level: DocumentLevel) -> Bool {
    level.isVersion1 || isVersion2.dropFirst(level.firstDiagnostic).contains(false)
  }

  /// A hybrid is refused whole, not guessed at.
  private mutating func refuseMixed(_ level: DocumentLevel) {
    markEnclosing()
    let count = max(0, payload.diagnostics.count - level.firstDiagnostic)
    payload.diagnostics.removeLast(count)
    isVersion2.removeLast(count)
    sawMixedVersions = true
    notes.add(.mixedVersions, byte: level.place)
  }

  /// An object in which nothing was recognised.
  private mutating func passOver(_ level: DocumentLevel) {
    if level.isMetricPayload {
      takeMetrics(level)
    } else if levels.last?.isObject == false {
      notes.add(.notADiagnostic, byte: level.place)
    }
  }

  private mutating func takeMetrics(_ level: DocumentLevel) {
    markEnclosing()
    guard payload.metrics.count < limits.diagnostics else {
      diagnosticsCut += 1
      return
    }
    var metadata = level.metricMetadata ?? DiagnosticMetadata()
    metadata.fill(from: level.beside.metadata)
    payload.metrics.append(MetricReport(metadata: metadata))
  }

  private mutating func take(_ level: DocumentLevel) {
    markEnclosing()
    guard payload.diagnostics.count < limits.diagnostics else {
      diagnosticsCut += 1
      return
    }
    var notes = level.notes
    var metadata = level.metadata?.metadata ?? DiagnosticMetadata()
    if level.beside.isUsed { metadata.fill(from: level.beside.metadata) }
    var diagnostic = Diagnostic(
      kind: kind(of: level, metadata, &notes), ordinal: level.ordinal ?? takeOrdinal(), metadata: metadata)
    if let tree = level.tree {
      sawNeighbourTree = sawNeighbourTree || tree.isFlat
      diagnostic.isPerThread = tree.isPerThread
      diagnostic.images = tree.images
      for index in tree.images.indices where tree.images[index].name == nil {
        diagnostic.images[index].name = tree.images[index].debugID.flatMap { tree.names[$0] }
      }
      notes.add(tree.notes)
      buildStacks(tree, &diagnostic, &notes)
    }
    if diagnostic.stacks.isEmpty { notes.add(.noStack, byte: level.place) }
    diagnostic.notes = notes.closed
    payload.diagnostics.append(diagnostic)
    // A level without a tree is of the version of what stands around it, which is not known yet.
    isVersion2.append(level.tree?.isVersion2 == true || level.tree == nil && level.metadata == nil)
  }

  private func kind(
    of level: DocumentLevel, _ metadata: DiagnosticMetadata, _ notes: inout Notebook
  ) -> DiagnosticKind {
    if case .diagnostic(let kind) = level.expected { return kind }
    if let kind = level.namedKind ?? level.statedKind ?? level.beside.kind { return kind }
    let possible = metadata.possibleKinds
    if possible.count > 1 { notes.add(.kindAmbiguous, byte: level.place) }
    return possible.first ?? .unknown
  }

  /// Decides offsets over the whole diagnostic, then cuts the flat frames into call stacks and decides each order.
  private func buildStacks(_ tree: CallStackTree, _ diagnostic: inout Diagnostic, _ notes: inout Notebook) {
    var frames = tree.frames
    diagnostic.images = DocumentReader.imagesInOrder(diagnostic.images, &frames)
    OffsetRule.apply(
      to: &frames, images: diagnostic.images, architecture: diagnostic.metadata.platformArchitecture, notes: &notes
    ) { index in
      let stack = tree.stacks.firstIndex { index < $0.end } ?? 0
      return "stack \(stack), frame \(index - (stack > 0 ? tree.stacks[stack - 1].end : 0))"
    }
    diagnostic.stacks.reserveCapacity(tree.stacks.count)
    var start = 0
    for (end, isAttributed) in tree.stacks {
      diagnostic.stacks.append(CallStack(isAttributed: isAttributed, frames: Array(frames[start..<end])))
      start = end
    }
    let starts = OrderRule.startsThreads(diagnostic.images)
    OrderRule.apply(to: &diagnostic.stacks, kind: diagnostic.kind, starts: starts)
  }

  /// The images that frames use, numbered by their first appearance.
  private static func imagesInOrder(_ images: [ImageReference], _ frames: inout [RawFrame]) -> [ImageReference] {
    var isInOrder = true
    var highest: Int32 = -1
    for frame in frames where frame.image > highest {
      if frame.image != highest + 1 {
        isInOrder = false
        break
      }
      highest = frame.image
    }
    if isInOrder, Int(highest) == images.count - 1 { return images }
    var numbers = [Int32](repeating: -1, count: images.count)
    var ordered: [ImageReference] = []
    for index in frames.indices where frames[index].image >= 0 {
      let old = Int(frames[index].image)
      if numbers[old] < 0 {
        numbers[old] = Int32(truncatingIfNeeded: ordered.count)
        ordered.append(images[old])
      }
      frames[index].image = numbers[old]
    }
    return ordered
  }
}
