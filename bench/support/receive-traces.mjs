// Takes traces and throws them away, as fast as Node can.
import { createServer } from 'node:http'

const server = createServer((request, response) => {
  request.resume()
  request.on('end', () => {
    response.writeHead(request.url?.startsWith('/info') ? 200 : 202, { 'content-type': 'application/json' })
    response.end(request.url?.startsWith('/info') ? '{"version":"0.17.4"}' : '{}')
  })
})
server.listen(0, '127.0.0.1', () => process.send?.(server.address().port))
