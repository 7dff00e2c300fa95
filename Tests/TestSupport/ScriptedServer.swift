/// An HTTP server that answers as a test wants: well, badly, or never.
///
/// The first part of a path says how: `/files/NAME…` gives a file of its folder, `/status/N` that status, `/page` a web
/// page, `/endless` a body without end, `/drip` one that hardly moves, `/silent` nothing, `/to?URL` leads to URL whatever
/// follows in the path, `/round` leads to itself.
public final class ScriptedServer: Sendable {
  private let program: BackgroundProgram
  /// The port that it listens on.
  public let port: Int

  private static let script = """
    import http.server, os, socketserver, sys, time, urllib.parse
    class Handler(http.server.BaseHTTPRequestHandler):
        def log_message(self, *words): pass
        def do_GET(self):
            print('GET', self.path, self.headers.get('Authorization') or '-', flush=True)
            parts = urllib.parse.unquote(self.path).lstrip('/').split('/')
            how = parts[0]
            if how == 'files':
                # Build-ids are asked for as buildid/ID/debuginfo: a file of that name, or of the identifier alone.
                path = os.path.join(sys.argv[1], '/'.join(parts[1:]))
                if not os.path.isfile(path): return self.send(404, b'no such file')
                return self.send(200, open(path, 'rb').read())
            if how == 'status': return self.send(int(parts[1]), b'so be it')
            if how == 'page': return self.send(200, b'<html>Please log in</html>')
            if how == 'silent': return time.sleep(600)
            if how == 'round': return self.send(302, b'', self.path)
            if how == 'to': return self.send(302, b'', urllib.parse.unquote(parts[1].replace('!', '/')) + '/' + '/'.join(parts[2:]))
            if how in ('endless', 'drip'):
                self.send_response(200); self.end_headers()
                try:
                    while True:
                        self.wfile.write(b'x' * (1 << 16 if how == 'endless' else 1)); self.wfile.flush()
                        if how == 'drip': time.sleep(0.2)
                except OSError: return
            self.send(404, b'')
        def send(self, status, body, location=None):
            self.send_response(status)
            if location: self.send_header('Location', location)
            self.send_header('Content-Length', str(len(body)))
            self.end_headers()
            self.wfile.write(body)
    class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
        daemon_threads = True
    server = Server(('127.0.0.1', 0), Handler)
    print('PORT', server.server_port, flush=True)
    server.serve_forever()
    """

  /// Starts a server of the files in `folder`; `nil` when it does not come up.
  public init?(_ folder: String) {
    guard let program = BackgroundProgram("/usr/bin/env", ["python3", "-c", Self.script, folder]),
      program.waits(until: { $0.text.contains("PORT ") && $0.text.contains("\n") }),
      let port = program.text.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap({ Int($0) })
    else { return nil }
    self.program = program
    self.port = port
  }

  /// Where it is.
  public var address: String { "http://127.0.0.1:\(port)" }

  /// What it was asked for so far: paths.
  public var requests: [String] {
    lines.map { String($0[1]) }
  }

  /// What each request had in its header `Authorization`; `-` without.
  public var authorizations: [String] { lines.map { String($0[2]) } }

  private var lines: [[Substring]] {
    program.text.split(separator: "\n").filter { $0.hasPrefix("GET ") }.map { $0.split(separator: " ", maxSplits: 2) }
      .filter { $0.count == 3 }
  }
}
