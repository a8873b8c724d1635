# Does the tasks of `plantstore grade client` with Net::HTTP of Ruby.
require 'json'
require 'net/http'

TIMEOUT = ENV.fetch('PLANTSTORE_TIMEOUT_MS').to_i / 1000.0 # seconds
SERVICE = URI(ENV.fetch('PLANTSTORE_URL'))

def call_service(http, task, url = task['url'])
  request = Net::HTTPGenericRequest.new(task['method'], task.key?('body'), true, URI(url).request_uri, task['headers'])
  http.request(request, task['body'])
end

# Reads all pages.
def read_all(http, task)
  plants = []
  url = task['url']
  while url
    response = call_service(http, task, url)
    return { status: response.code.to_i } if response.code != '200'
    plants += JSON.parse(response.body).map { |plant| plant.merge('id' => plant['id'].to_s) }
    following = response['Link']&.match(/<([^>]*)>; rel="next"/)
    url = following && URI.join(url, following[1]).to_s
  end
  { status: 200, plants: plants }
end

def perform(http, task)
  return read_all(http, task) if task['kind'] == 'list'
  response = call_service(http, task)
  { status: response.code.to_i, body: (response.body || '').force_encoding('UTF-8') }
end

http = Net::HTTP.new(SERVICE.host, SERVICE.port)
http.open_timeout = http.read_timeout = http.write_timeout = TIMEOUT
http.start # Keeps the connection for all requests.
File.foreach(ENV.fetch('PLANTSTORE_TASKS'), encoding: 'UTF-8') do |line|
  task = JSON.parse(line)
  begin
    report = perform(http, task)
  rescue StandardError => error
    report = { error: error.inspect }
  end
  File.write(ENV.fetch('PLANTSTORE_REPORT'), JSON.generate({ task: task['task'], **report }) + "\n", mode: 'a')
end
