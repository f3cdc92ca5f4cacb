/**
 * Senders of the ingest benchmarks, in their own process so that creating bodies does not slow down the server's process.
 * Bodies are created before the clock starts; their ids are replaced in place for every request. Several addresses,
 * separated by commas, are used by the senders in turn.
 */
import { Agent, request } from 'node:http'
import { setTimeout } from 'node:timers/promises'
import { makeTraceRuns, multipartBody } from './make-runs.ts'
import { FORM_TYPE } from './multipart.ts'

const [addresses, seconds, batchSize, senders, offered = '0'] = process.argv.slice(2) as [
  string,
  string,
  string,
  string,
  string?,
]
const urls = addresses.split(',')
/** Milliseconds between two requests of one sender; 0 for the next request as soon as one is answered. */
const everyMs = Number(offered) === 0 ? 0 : (1000 * Number(batchSize) * Number(senders)) / Number(offered)
const agent = new Agent({ keepAlive: true, maxSockets: Number(senders) })
const templates = Array.from({ length: 8 }, () => {
  const runs = makeTraceRuns(Number(batchSize), 'bench')
  const body = multipartBody(runs)
  return {
    body,
    spots: findSpots(
      body,
      runs.map((run) => run.id),
    ),
    ids: runs.map((run) => run.id),
  }
})

const latencies: number[] = []
const refused: number[] = []
const lastIds: string[] = []
const beganAt = performance.now()
const cpuBefore = process.cpuUsage()
const ending = Date.now() + Number(seconds) * 1000
let serial = process.pid * 1e6

await Promise.all(Array.from({ length: Number(senders) }, (_, sender) => sendUntilEnd(sender)))
const { user, system } = process.cpuUsage(cpuBefore)
const figures = { elapsedMs: performance.now() - beganAt, cpuMs: (user + system) / 1000 }
process.send?.({ latencies, refused, lastIds: lastIds.slice(-10_000), ...figures })
agent.destroy()

async function sendUntilEnd(sender: number): Promise<void> {
  const url = urls[sender % urls.length]!
  const firstAt = performance.now() + (everyMs * sender) / Number(senders)
  for (let round = sender; Date.now() < ending; round++) {
    const at = firstAt + (round - sender) * everyMs
    if (everyMs > 0 && at > performance.now()) await setTimeout(at - performance.now())
    const template = templates[round % templates.length]!
    const { body, ids } = renewed(template)
    const began = performance.now()
    const status = await post(url, body)
    if (status === 202) {
      latencies.push(performance.now() - began)
      lastIds.push(ids[Math.floor(Math.random() * ids.length)]!)
    } else refused.push(status)
  }
}

/** Replaces the last twelve digits of every id in the body, so that no id is sent twice. */
function renewed(template: (typeof templates)[number]) {
  const body = Buffer.from(template.body)
  const ids = template.ids.map((id, at) => {
    const fresh = (serial++ % 2 ** 48).toString(16).padStart(12, '0')
    for (const spot of template.spots[at]!) body.write(fresh, spot + 24, 'latin1')
    return id.slice(0, 24) + fresh
  })
  return { body, ids }
}

function findSpots(body: Buffer, ids: readonly string[]): number[][] {
  return ids.map((id) => {
    const spots: number[] = []
    for (let at = body.indexOf(id); at !== -1; at = body.indexOf(id, at + 36)) spots.push(at)
    return spots
  })
}

function post(url: string, body: Buffer): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': FORM_TYPE, 'content-length': body.length }
    const sent = request(`${url}/runs/multipart`, { method: 'POST', agent, headers }, (answer) => {
      answer.resume()
      answer.on('end', () => resolve(answer.statusCode ?? 0))
    })
    sent.on('error', reject)
    sent.end(body)
  })
}
