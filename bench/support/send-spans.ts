/**
 * Senders of OTLP protobuf in a process of their own. Bodies are made before the clock starts; each request gets new ids.
 * Reports the latency of every acknowledged request and the statuses of the others.
 */
import { Agent, request } from 'node:http'
import { makeOtlpBody, renewIds } from './otlp-body.ts'

const [url, seconds, batchSize, senders, headersText = '{}'] = process.argv.slice(2) as [string, string, string, string]
const headers = { 'content-type': 'application/x-protobuf', ...(JSON.parse(headersText) as Record<string, string>) }
const agent = new Agent({ keepAlive: true, maxSockets: Number(senders) })
const bodies = Array.from({ length: 8 }, () => makeOtlpBody(Number(batchSize)))
const latencies: number[] = []
const refused: number[] = []
const ending = Date.now() + Number(seconds) * 1000

await Promise.all(Array.from({ length: Number(senders) }, (_, sender) => sendUntilEnd(sender)))
process.send?.({ latencies, refused })
agent.destroy()

async function sendUntilEnd(sender: number): Promise<void> {
  for (let round = sender; Date.now() < ending; round++) {
    const body = renewIds(bodies[round % bodies.length]!)
    const began = performance.now()
    const status = await post(body)
    if (status >= 200 && status < 300) latencies.push(performance.now() - began)
    else refused.push(status)
  }
}

function post(body: Buffer): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: 'POST', agent, headers: { ...headers, 'content-length': body.length } })
    sent.on('response', (answer) => {
      answer.resume()
      answer.on('end', () => resolve(answer.statusCode ?? 0))
    })
    sent.on('error', reject)
    sent.end(body)
  })
}
