-- For wrk: toggles the star of any of ITEMS items of any list, COUNT lists from FIRST on in steps of STEP. The numbers
-- come behind `--`: FIRST COUNT STEP ITEMS.
local requests = {}

function init(arguments)
  local first, count, step, items = tonumber(arguments[1]), tonumber(arguments[2]), tonumber(arguments[3]),
    tonumber(arguments[4])
  for list = first, first + (count - 1) * step, step do
    for item = 1, items do
      local path = string.format("/v1/lists/list-%d/items/item-%d/star", list, item)
      requests[#requests + 1] = wrk.format("POST", path)
    end
  end
end

function request() return requests[math.random(#requests)] end

function done(summary)
  local errors = summary.errors
  io.write(string.format("requests=%d refused=%d errors=%d microseconds=%d\n", summary.requests, errors.status,
    errors.connect + errors.read + errors.write + errors.timeout, summary.duration))
end
