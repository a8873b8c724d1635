-- Creates with ids that no other request of the run uses: the thread's number leads, a count follows.
local threads = 0
function setup(thread)
  thread:set("lead", threads)
  threads = threads + 1
end

function init(args)
  mode = args[1]
  headers = { ["Authorization"] = "Bearer " .. args[2], ["Content-Type"] = "application/json" }
  count = tonumber(args[3]) + lead * 100000000
  state = lead * 7919 + tonumber(args[3])
end

-- Ids spread over some 2^52: far apart from each other, and still exact as Lua's doubles.
local function scattered(n)
  return (n * 2654435761 % 4294967296) * 1048576 + n % 1048576
end

function request()
  count = count + 1
  local id = mode == "random" and scattered(count) or count
  local body = string.format('{"id":%.0f,"name":"Aloe vera %.0f","tag":"succulent"}', id, count % 1000)
  return wrk.format("POST", "/plants", headers, body)
end
