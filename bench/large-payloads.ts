/**
 * `npm run bench large-payloads [runs] [kB]`: runs with large inputs, sent once as a part of the run and once as an
 * attachment, which is what a payload outside of the column store would be. Each run is created, then updated. Prints what
 * the server wrote to the disk for each byte that was sent, its CPU time, and reads. @default 300 runs of 1,024 kB
 */
import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { type StartedServer, startServer } from '../e2e/support/start-server.ts'
import { percentile, printTable } from './support/figures.ts'
import { measureTree } from './support/peers.ts'

const [runs = '300', kilobytes = '1024'] = process.argv.slice(2)
const AT_ONCE = 10

const WORDS = Array.from({ length: 4_000 }, () => randomUUID().slice(0, 4 + Math.floor(Math.random() * 8)))

/** Words that compress about as text of a model does, to less than half. */
function makeText(bytes: number): string {
  let text = ''
  while (text.length < bytes) text += `${WORDS[Math.floor(Math.random() ** 3 * WORDS.length)]} `
  return text.slice(0, bytes)
}

type Form = 'inputs' | 'attachment'

async function post(server: StartedServer, form: FormData): Promise<void> {
  const answer = await fetch(`${server.url}/runs/multipart`, { method: 'POST', body: form })
  if (answer.status !== 202) throw new Error(`${answer.status} ${await answer.text()}`)
}

const json = (value: unknown) => new Blob([JSON.stringify(value)], { type: 'application/json' })

/** @returns the ids of the runs */
async function send(server: StartedServer, as: Form): Promise<string[]> {
  const ids = Array.from({ length: Number(runs) }, () => randomUUID())
  for (let at = 0; at < ids.length; at += AT_ONCE) {
    const start_time = new Date().toISOString()
    const some = ids.slice(at, at + AT_ONCE).map((id) => {
      const dotted_order = start_time.replaceAll(/[-:.]/g, '').replace('Z', '000Z') + id
      return { id, trace_id: id, dotted_order }
    })
    const created = new FormData()
    for (const run of some) {
      const text = makeText(Number(kilobytes) * 1024)
      created.append(`post.${run.id}`, json({ ...run, name: 'large', run_type: 'llm', start_time, session_name: as }))
      created.append(`post.${run.id}.inputs`, json({ text: as === 'inputs' ? text : 'see the attachment' }))
      if (as === 'attachment') {
        created.append(`attachment.${run.id}.text`, new Blob([text], { type: `text/plain; length=${text.length}` }))
      }
    }
    await post(server, created)
    const updated = new FormData()
    for (const run of some) {
      updated.append(`patch.${run.id}`, json({ ...run, end_time: new Date().toISOString() }))
      updated.append(`patch.${run.id}.outputs`, json({ answer: 'short' }))
    }
    await post(server, updated)
  }
  return ids
}

const writtenBytes = (pid: number) => Number(/^write_bytes: (\d+)/m.exec(readFileSync(`/proc/${pid}/io`, 'utf8'))?.[1])

/** Waits until the server has written nothing for a while: its merges are over. */
async function untilQuiet(pid: number): Promise<void> {
  for (let before = -1, now = 0; now !== before; ) {
    before = now
    await sleep(6_000)
    now = writtenBytes(pid)
  }
}

async function measureReads(work: () => Promise<Response>): Promise<number> {
  const times: number[] = []
  for (let round = 0; round < 15; round++) {
    const began = performance.now()
    const answer = await work()
    if (!answer.ok) throw new Error(await answer.text())
    await answer.arrayBuffer()
    times.push(performance.now() - began)
  }
  return percentile(times, 0.5)
}

async function measure(as: Form): Promise<(string | number)[]> {
  const server = await startServer()
  try {
    const before = { bytes: writtenBytes(server.pid), cpu: measureTree(server.pid).cpuSeconds }
    const began = performance.now()
    const ids = await send(server, as)
    const seconds = (performance.now() - began) / 1000
    await untilQuiet(server.pid)
    const sent = Number(runs) * Number(kilobytes) * 1024
    const cpuMs = (measureTree(server.pid).cpuSeconds - before.cpu) * 1000
    const stored = Number(execFileSync('du', ['-sb', server.dataDir], { encoding: 'utf8' }).split('\t')[0])
    const query = (select: string[], extra: object = {}) =>
      fetch(`${server.url}/runs/query`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ limit: 50, select, ...extra }),
      })
    return [
      as,
      Number(runs) / seconds,
      (writtenBytes(server.pid) - before.bytes) / sent,
      cpuMs / (sent / 1e6),
      stored / sent,
      await measureReads(() => fetch(`${server.url}/runs/${ids[7]}`)),
      await measureReads(() => query(['id', 'name', 'status', 'inputs_preview'])),
    ]
  } finally {
    await server.stop()
  }
}

const columns = ['payload as', 'runs/s', 'written / sent', 'CPU ms per MB', 'stored / sent', 'run ms', 'list ms']
printTable(columns, [await measure('inputs'), await measure('attachment')])
