# The walk that every client does, with openapi-generator's client for Ruby. Reads TOKEN from the environment.
require 'json'
require 'plant_store'

ALOE = 2**63 - 1
CURSOR = /[?&]after=([^&>]+)[^>]*>; *rel="next"/

def expect(what, got, wanted)
  abort "#{what}: #{got.inspect} instead of #{wanted.inspect}" unless got == wanted
end

# Expects the block's request to fail with this status, and with this error number if the response has a body.
def expect_failure(what, status, number = nil)
  yield
  abort "#{what}: no failure"
rescue PlantStore::ApiError => e
  expect(what, e.code, status)
  expect(what, PlantStore::Error.build_from_hash(JSON.parse(e.response_body, symbolize_names: true)).error, number) if number
end

PlantStore.configure { |it| it.access_token = ENV.fetch('TOKEN') }
plants = PlantStore::PlantsApi.new
aloe = PlantStore::NewPlant.new(id: ALOE, name: 'Aloe vera')

2.times do # the second is the replay of the first
  created, status, headers = plants.create_plant_with_http_info(aloe)
  expect('create', status, 200)
  expect('created', created, PlantStore::Plant.new(name: 'Aloe vera'))
  expect('Location', headers['Location'].end_with?("/plants/#{ALOE}"), true)
end
expect_failure('taken id', 400, 40009) { plants.create_plant(PlantStore::NewPlant.new(id: ALOE, name: 'Aloe ferox')) }

got, status, headers = plants.get_plant_with_http_info(ALOE)
expect('get', status, 200)
expect('plant', got, PlantStore::StoredPlant.new(id: ALOE, name: 'Aloe vera'))
etag = headers['ETag']

(1..250).each { |id| plants.create_plant(PlantStore::NewPlant.new(id:, name: 'Fern', tag: 'walk')) }
seen = []
after = nil
loop do
  page, _, headers = plants.list_plants_with_http_info({ limit: 100, tag: 'walk', after: }.compact)
  seen.concat(page.map(&:id))
  after = headers['Link']&.slice(CURSOR, 1)
  break if after.nil?
end
expect('plants listed', seen, (1..250).to_a)

renamed = PlantStore::Plant.new(name: 'Aloe barbadensis')
replaced, status, headers = plants.replace_plant_with_http_info(ALOE, renamed, if_match: etag)
expect('replace', status, 200)
expect('new name', replaced.name, 'Aloe barbadensis')
expect_failure('stale If-Match', 412, 41200) { plants.replace_plant(ALOE, renamed, if_match: etag) }
expect_failure('If-None-Match', 304) { plants.get_plant(ALOE, if_none_match: headers['ETag']) }

_, status, = plants.delete_plant_with_http_info(ALOE)
expect('delete', status, 204)
expect_failure('get deleted', 404, 40401) { plants.get_plant(ALOE) }
expect_failure('no token', 401, 40100) { plants.get_plant(ALOE, debug_auth_names: []) }

# The client itself refuses the name before it sends the request.
begin
  PlantStore::NewPlant.new(id: ALOE, name: 'a' * 1025)
  abort 'long name: no failure'
rescue ArgumentError => e
  expect('long name', e.message.include?('1024'), true)
end
puts 'agrees'
