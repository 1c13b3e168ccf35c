-- For wrk: toggles the star of any item of LISTS lists with ITEMS items each, which come behind `--`.
local requests = {}

function init(arguments)
  for list = 1, tonumber(arguments[1]) do
    for item = 1, tonumber(arguments[2]) do
      local path = string.format("/v1/lists/list-%d/items/item-%d/star", list, item)
      requests[#requests + 1] = wrk.format("POST", path)
    end
  end
end

function request() return requests[math.random(#requests)] end

function done(summary)
  local errors = summary.errors
  io.write(string.format("requests=%d errors=%d microseconds=%d\n", summary.requests,
    errors.connect + errors.read + errors.write + errors.status + errors.timeout, summary.duration))
end
