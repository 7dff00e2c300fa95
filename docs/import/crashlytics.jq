# Rows of Crashlytics' export to BigQuery as JSON (one a line) to lines of symclust.stack/1.
# Its frames have names and no image identifiers, so they are grouped as they are and not looked up.
#
#   jq -c -f crashlytics.jq rows.jsonl > stacks.jsonl

def frame: {image: .library, function: (.symbol // "?"), file: .file, line: (if .line == null then null else .line | tonumber end)}
  | if .line == 0 then .line = null else . end
  | with_entries(select(.value != null));

{
  schema: "symclust.stack/1",
  id: .event_id,
  kind: "crash",
  app: .bundle_identifier,
  version: .application.display_version,
  build: .application.build_version,
  os: ([.operating_system.name, .operating_system.display_version] | map(select(. != null)) | if . == [] then null else join(" ") end),
  threads: (
    ([.threads[]? | select((.crashed | tostring) == "true")] + [.exceptions[]?])[:1]
    | map({order: "innermost_first", frames: [.frames[]? | frame]}))
}
