# Events of Sentry as JSON (one a line, or many documents one after another) to lines of symclust.stack/1.
# Frames stand outermost first there; addresses become offsets by the images of the event, and are looked up anew.
#
#   jq -c -f sentry.jq events.jsonl > stacks.jsonl

def number: if . == null then null elif type == "number" then . elif startswith("0x") then
    reduce (ltrimstr("0x") | ascii_downcase | explode[]) as $c (0; . * 16 + (if $c > 96 then $c - 87 else $c - 48 end))
  else tonumber end;
def hex: if . < 16 then "0123456789abcdef"[.:. + 1] else (. / 16 | floor | hex) + (. % 16 | hex) end;
def base: if . == null then null else split("/") | last end;

. as $event
| [(.debug_meta.images // [])[] | {start: (.image_addr | number), id: .debug_id, name: ((.code_file // .debug_file) | base)}]
  as $images
| {
    schema: "symclust.stack/1",
    id: (.event_id // .id),
    kind: (if any(.exception.values[]?; .mechanism.type == "AppHang") then "hang" else "crash" end),
    app: ($event.contexts.app.app_identifier // null),
    version: ($event.contexts.app.app_version // null),
    build: ($event.contexts.app.app_build // .dist // null),
    os: ([$event.contexts.os.name, $event.contexts.os.version] | map(select(. != null)) | if . == [] then null else join(" ") end),
    reason: {signal: ([.exception.values[]?.mechanism.meta.signal.number?] | map(select(. != null)) | first)},
    threads: [
      .exception.values[]? | select(.stacktrace.frames != null) | (.raw_stacktrace // .stacktrace) | {
        order: "outermost_first",
        frames: [
          .frames[] | (.image_addr | number) as $start | (.instruction_addr | number) as $address
          | ([$images[] | select($start != null and .start == $start)] | first) as $image
          | if $image != null and $image.id != null and $address != null then
              {debug_id: $image.id, image: $image.name, offset: ("0x" + ($address - $start | hex))}
            else {image: (.package | base), function: (.function // "?")} end
          | with_entries(select(.value != null))
        ]
      }
    ][-1:]
  }
