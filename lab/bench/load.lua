-- Builds the requests that wrk sends. Usage: wrk … -s load.lua URL -- KIND IDS STORED DELAY TOKEN
--   KIND    create, get, list, or tagged: a list of the plants with the tag rare
--   IDS     sequential, random (within 2^53), or spread: at the same distance from each other (within 2^53)
--   STORED  the number of plants that exist already: those with the indexes from 0 to STORED - 1
--   DELAY   the mean think time of a connection in milliseconds, 0 for none
--   TOKEN   one or more tokens, separated by commas: creates use them in turn; or @FILE, with one token per line
local bit = require("bit")

-- Multiplies two 32-bit numbers and returns the lower 32 bits. It works half by half, since doubles cannot hold 64 bits.
local function times(a, b)
  local high = bit.lshift(bit.tobit(bit.rshift(a, 16) * b), 16)
  return bit.tobit(bit.tobit(bit.band(a, 0xffff) * b) + high)
end

-- The finaliser of MurmurHash3: maps every 32 bits to different 32 bits, as if at random. checkout.ts has the same.
local function mixed(n)
  n = times(bit.bxor(n, bit.rshift(n, 16)), 0x85ebca6b)
  n = times(bit.bxor(n, bit.rshift(n, 13)), 0xc2b2ae35)
  return bit.bxor(n, bit.rshift(n, 16))
end

local function low(index)
  return mixed(bit.bxor(index, 0x5bd1e995))
end

-- scale.ts has the same.
local distance

local ids = {
  spread = function(index)
    return string.format("%.0f", index * distance)
  end,
  sequential = function(index)
    return string.format("%d", index + 1)
  end,
  random = function(index)
    return string.format("%.0f", mixed(index) % 4294967296 * 2097152 + bit.band(low(index), 0x1fffff))
  end,
}

function init(args)
  local kind, id_of, stored, think, token = args[1], ids[args[2]], tonumber(args[3]), tonumber(args[4]), args[5]
  distance = math.floor(2 ^ 53 / stored)
  math.randomseed(stored + 1)
  if token:sub(1, 1) == "@" then
    local file = assert(io.open(token:sub(2)))
    token = file:read("*a"):gsub("\n", ",")
    file:close()
  end
  -- Built by hand: wrk.format costs more CPU than some of the servers.
  local jsons, headers = {}, ""
  for one in token:gmatch("[^,]+") do
    headers = " HTTP/1.1\r\nHost: " .. wrk.headers["Host"] .. "\r\nAuthorization: Bearer " .. one .. "\r\n"
    jsons[#jsons + 1] = headers .. "Content-Type: application/json\r\nContent-Length: "
  end
  local count = 0

  local requests = {}
  function requests.create()
    local index = stored + count
    count = count + 1
    local body = '{"id":' .. id_of(index) .. ',"name":"Aloe vera ' .. index .. '","tag":"succulent"}'
    return "POST /plants" .. jsons[index % #jsons + 1] .. #body .. "\r\n\r\n" .. body
  end
  function requests.get()
    -- Index 0 is left out: wrk builds one request that it does not send, so no create has that index.
    return "GET /plants/" .. id_of(math.random(1, stored - 1)) .. headers .. "\r\n"
  end
  local page = "GET /plants?limit=100" .. headers .. "\r\n"
  function requests.list()
    return page
  end
  local tagged = "GET /plants?limit=100&tag=rare" .. headers .. "\r\n"
  function requests.tagged()
    return tagged
  end
  request = requests[kind]

  -- Exponential, so that the requests of all connections together arrive as from independent clients. wrk waits whole
  -- milliseconds, so the fraction is rounded at random and kept on average.
  if think > 0 then
    delay = function()
      return math.floor(-think * math.log(1 - math.random()) + math.random())
    end
  end
end

function done(summary, latency)
  local errors = summary.errors
  print(string.format(
    '{"requests":%d,"seconds":%f,"errors":%d,"refused":%d,"p99":%f}',
    summary.requests, summary.duration / 1e6,
    errors.connect + errors.read + errors.write + errors.timeout, errors.status,
    latency:percentile(99) / 1e3
  ))
end
