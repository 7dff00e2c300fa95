/// Which addresses on the network anybody may be sent to.
///
/// Whoever starts the program may name any server. Where a server sends us by a redirect is another matter: it must not
/// reach what only this machine or its neighbours can see (operations.md Z-70).
public enum AddressPolicy {
  /// Networks that are not public, as the first bits of an address (RFC 6890 and the registries that it began).
  private static let ipv4: [(address: [UInt8], bits: Int)] = [
    ([0, 0, 0, 0], 8), ([10, 0, 0, 0], 8), ([100, 64, 0, 0], 10), ([127, 0, 0, 0], 8), ([169, 254, 0, 0], 16),
    ([172, 16, 0, 0], 12), ([192, 0, 0, 0], 24), ([192, 0, 2, 0], 24), ([192, 168, 0, 0], 16), ([198, 18, 0, 0], 15),
    ([198, 51, 100, 0], 24), ([203, 0, 113, 0], 24), ([224, 0, 0, 0], 3),
  ]

  /// Whether an address of 4 or 16 bytes, the first byte first, is a public one.
  public static func isPublic(_ address: [UInt8]) -> Bool {
    if address.count == 4 { return !ipv4.contains { begins(address, with: $0.address, $0.bits) } }
    guard address.count == 16 else { return false }
    // Addresses that carry one of IPv4: mapped (::ffff:0:0/96), translated (64:ff9b::/96), 6to4 (2002::/16).
    let zeros = [UInt8](repeating: 0, count: 10)
    if Array(address[..<12]) == zeros + [0xff, 0xff] { return isPublic(Array(address[12...])) }
    if Array(address[..<12]) == [0, 0x64, 0xff, 0x9b] + zeros.prefix(8) { return isPublic(Array(address[12...])) }
    if address[0] == 0x20, address[1] == 0x02 { return isPublic(Array(address[2..<6])) }
    // Global unicast is 2000::/3; of that 2001::/23 serves protocols, 2001:db8::/32 documents.
    guard address[0] & 0xe0 == 0x20 else { return false }
    return !begins(address, with: [0x20, 0x01, 0x00], 23) && !begins(address, with: [0x20, 0x01, 0x0d, 0xb8], 32)
  }

  private static func begins(_ address: [UInt8], with prefix: [UInt8], _ bits: Int) -> Bool {
    for bit in 0..<bits {
      let mask = UInt8(0x80) >> UInt8(bit % 8)
      if address[bit / 8] & mask != prefix[bit / 8] & mask { return false }
    }
    return true
  }
}
