-- What wrk sends: wrk … -s load.lua URL -- KIND IDS STORED FROM DELAY TOKEN
--   KIND    create, retry, get, list, lists, replace or mix
--   IDS     of creates: sequential, random (within 2^53) or int64 (the whole range)
--   STORED  how many plants are there already: those with the indexes from 0 to STORED - 1
--   FROM    how many creates earlier runs have made: no two creates share an index
--   DELAY   the mean think time of a connection in milliseconds, 0 for none
local bit = require("bit")
local ffi = require("ffi")

-- Multiplies 32 bits by 32 bits, of which the lower 32 stay; half by half, as doubles hold no 64 bits.
local function times(a, b)
  local high = bit.lshift(bit.tobit(bit.rshift(a, 16) * b), 16)
  return bit.tobit(bit.tobit(bit.band(a, 0xffff) * b) + high)
end

-- The finaliser of MurmurHash3: every 32 bits to other 32 bits, as if at random. ids.ts has the same.
local function mixed(n)
  n = times(bit.bxor(n, bit.rshift(n, 16)), 0x85ebca6b)
  n = times(bit.bxor(n, bit.rshift(n, 13)), 0xc2b2ae35)
  return bit.bxor(n, bit.rshift(n, 16))
end

local function low(index)
  return mixed(bit.bxor(index, 0x5bd1e995))
end

local ids = {
  sequential = function(index)
    return string.format("%d", index + 1)
  end,
  random = function(index)
    return string.format("%.0f", mixed(index) % 4294967296 * 2097152 + bit.band(low(index), 0x1fffff))
  end,
  int64 = function(index)
    return tostring(ffi.cast("int64_t", mixed(index)) * 4294967296LL + low(index) % 4294967296):sub(1, -3)
  end,
}

function init(args)
  local kind, created_ids, stored, from = args[1], args[2], tonumber(args[3]), tonumber(args[4])
  local think, token = tonumber(args[5]), args[6]
  math.randomseed(from + stored + 1)
  -- Built by hand: wrk.format costs more than many a server does.
  local headers = " HTTP/1.1\r\nHost: " .. wrk.headers["Host"] .. "\r\nAuthorization: Bearer " .. token .. "\r\n"
  local json = headers .. "Content-Type: application/json\r\nContent-Length: "
  local count = 0

  local function with_body(start, body)
    return start .. json .. #body .. "\r\n\r\n" .. body
  end
  local function plant(id, index)
    return '{"id":' .. id .. ',"name":"Aloe vera ' .. index .. '","tag":"succulent"}'
  end
  local function any_stored()
    return math.random(0, stored - 1)
  end

  local requests = {}
  function requests.create()
    count = count + 1
    local index = stored + from + count - 1
    return with_body("POST /plants", plant(ids[created_ids](index), index))
  end
  function requests.retry()
    local index = any_stored()
    return with_body("POST /plants", plant(ids.random(index), index))
  end
  function requests.get()
    return "GET /plants/" .. ids.random(any_stored()) .. headers .. "\r\n"
  end
  local function page(limit)
    return "GET /plants?limit=" .. limit .. headers .. "\r\n"
  end
  local same = page(100)
  function requests.list()
    return same
  end
  -- More pages in turn than Plant Store keeps answers.
  function requests.lists()
    count = count % 101 + 1
    return page(49 + count)
  end
  function requests.replace()
    count = count + 1
    return with_body("PUT /plants/" .. ids.random(any_stored()), '{"name":"Aloe ferox ' .. count .. '","tag":"succulent"}')
  end
  function requests.mix()
    return (math.random(10) == 1 and requests.create or requests.get)()
  end
  request = requests[kind]

  -- Exponential, so that the requests of all connections together come as independent callers' would. wrk waits whole
  -- milliseconds: the fraction is kept on average.
  if think > 0 then
    delay = function()
      return math.floor(-think * math.log(1 - math.random()) + math.random())
    end
  end
end

function done(summary, latency)
  local errors = summary.errors
  print(string.format(
    '{"requests":%d,"seconds":%f,"errors":%d,"refused":%d,"p50":%f,"p99":%f,"p999":%f,"max":%f}',
    summary.requests, summary.duration / 1e6,
    errors.connect + errors.read + errors.write + errors.timeout, errors.status,
    latency:percentile(50) / 1e3, latency:percentile(99) / 1e3, latency:percentile(99.9) / 1e3, latency.max / 1e3
  ))
end
