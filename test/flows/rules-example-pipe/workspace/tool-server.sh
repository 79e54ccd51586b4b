# A tool server over standard input and output: one JSON-RPC message a line, whose last field is its id.
while IFS= read -r line; do
  id=${line##*'"id":'}
  case $line in
  *'"method":"initialize"'*)
    result='{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"web","version":"1"}}' ;;
  *'"method":"tools/list"'*)
    fields='{"html":{"type":"string"},"schema":{"type":"string"},"max_links":{"type":"number"}}'
    tool='"name":"extract","description":"Takes the links out of a page."'
    result="{\"tools\":[{$tool,\"inputSchema\":{\"type\":\"object\",\"properties\":$fields}}]}" ;;
  *'"method":"tools/call"'*)
    printf '%s\n' "${line#*'"params":'}" >>calls.jsonl
    result='{"content":[{"type":"text","text":"https://example.org"}]}'
    case $line in *'"html":"broken"'*) result='{"content":[{"type":"text","text":"no page"}],"isError":true}' ;; esac ;;
  *'"method":"notifications/'*) continue ;;
  *) result='{}' ;;
  esac
  printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "${id%%[!0-9]*}" "$result"
done
