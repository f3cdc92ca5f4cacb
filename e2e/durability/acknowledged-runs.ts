import { createHash, randomBytes, randomInt } from 'node:crypto'
import { uuid7 } from '@touchstone/contract'
import { aRunHead, multipart, type Part, postJson, postMultipart, type RunHead, send } from '../support/raw-ingest.ts'
import { rawField } from '../support/raw-json.ts'

/** What the server has promised to hold of a run. Texts are the JSON as it was sent. */
interface Promised {
  inputs: string
  /** Acknowledged outputs; absent while only the create was acknowledged. */
  outputs?: string
  /** Outputs whose fate is unknown: the server went away before it answered. */
  unknownOutputs?: string
  attachment?: Buffer
}

/** A ledger of every acknowledgement, kept outside the server; the judge after each crash. */
export class Ledger {
  readonly #promises = new Map<string, Promised>()
  readonly #unchecked = new Set<string>()

  get size() {
    return this.#promises.size
  }

  created(id: string, inputs: string, attachment?: Buffer) {
    this.#promises.set(id, { inputs, ...(attachment === undefined ? {} : { attachment }) })
    this.#unchecked.add(id)
  }

  tried(id: string, outputs: string) {
    const promise = this.#promises.get(id)
    if (promise !== undefined) promise.unknownOutputs = outputs
  }

  updated(id: string, outputs: string) {
    const promise = this.#promises.get(id)
    if (promise === undefined) return
    promise.outputs = outputs
    this.#unchecked.add(id)
  }

  /** Runs acknowledged or changed since the last call; `all` gives every one ever. */
  toCheck(all: boolean): string[] {
    const ids = all ? [...this.#promises.keys()] : [...this.#unchecked]
    this.#unchecked.clear()
    return ids
  }

  promise(id: string): Promised {
    return this.#promises.get(id)!
  }
}

/**
 * One client's life: creates and updates runs, singly and in crowds, by both ingest calls, until `signal` ends it.
 * Failures are expected (the server dies under it) and simply end one turn.
 *
 * @param server  its address, or what chooses one for each request
 */
export async function sendUntil(signal: AbortSignal, server: string | (() => string), ledger: Ledger): Promise<void> {
  const chooseUrl = typeof server === 'string' ? () => server : server
  while (!signal.aborted) {
    const heads = aTrace(randomInt(1, 12))
    const payloads = heads.map(() => aPayload())
    const create = randomInt(2) === 0 ? createByMultipart : createByBatch
    await create(chooseUrl(), heads, payloads, ledger).catch(wait)
    if (signal.aborted) return
    await updateThem(chooseUrl(), heads, ledger).catch(wait)
  }
}

/**
 * Compares what the server holds with what it promised.
 *
 * @returns a sentence for each broken promise
 */
export async function findBrokenPromises(serverUrl: string, ledger: Ledger, ids: readonly string[]): Promise<string[]> {
  const broken: string[] = []
  for (let at = 0; at < ids.length; at += 100) {
    const page = ids.slice(at, at + 100)
    const held = await readMany(serverUrl, page)
    for (const id of page) {
      const problem = await judge(serverUrl, ledger.promise(id), held.get(id))
      if (problem !== undefined) broken.push(`${id}: ${problem}`)
    }
  }
  return broken
}

async function judge(serverUrl: string, promise: Promised, held: string | undefined): Promise<string | undefined> {
  if (held === undefined) return 'is not there'
  if (rawField(held, 'inputs') !== promise.inputs) return 'has other inputs'
  const outputs = rawField(held, 'outputs')
  const allowed = [promise.outputs ?? 'null', promise.unknownOutputs]
  if (!allowed.includes(outputs)) return `has outputs ${outputs?.slice(0, 60)} instead of ${allowed[0]?.slice(0, 60)}`
  if (promise.outputs !== undefined && rawField(held, 'end_time') === 'null') return 'has lost its end'
  return promise.attachment && (await judgeAttachment(serverUrl, promise.attachment, held))
}

async function judgeAttachment(serverUrl: string, bytes: Buffer, held: string): Promise<string | undefined> {
  const urls = JSON.parse(rawField(held, 's3_urls') ?? 'null') as Record<string, { presigned_url: string }> | null
  const url = urls?.['attachment.blob']?.presigned_url
  if (url === undefined) return 'has lost its attachment'
  const kept = Buffer.from(await (await fetch(new URL(url, serverUrl))).arrayBuffer())
  return kept.equals(bytes) ? undefined : `has an attachment of ${kept.length} bytes that is not the one sent`
}

/** Texts of runs by id, exactly as the server prints them. */
async function readMany(serverUrl: string, ids: readonly string[]): Promise<Map<string, string>> {
  const select = ['id', 'inputs', 'outputs', 'end_time', 's3_urls']
  const { status, text } = await postJson(`${serverUrl}/runs/query`, JSON.stringify({ id: ids, select, limit: 100 }))
  if (status !== 200) throw new Error(`The query was answered ${status}: ${text}`)
  const runs = splitArray(rawField(text, 'runs')!)
  return new Map(runs.map((run) => [JSON.parse(rawField(run, 'id')!) as string, run]))
}

/** Elements of a JSON array of objects, as texts. */
function splitArray(array: string): string[] {
  const elements: string[] = []
  let [depth, from, isString] = [0, 0, false]
  for (let at = 0; at < array.length; at++) {
    const sign = array[at]
    if (isString && sign === '\\') at++
    else if (sign === '"') isString = !isString
    else if (!isString && sign === '{' && depth++ === 0) from = at
    else if (!isString && sign === '}' && --depth === 0) elements.push(array.slice(from, at + 1))
  }
  return elements
}

function aTrace(size: number): RunHead[] {
  const root = aRunHead({ session_name: 'durability' })
  const children = Array.from({ length: size - 1 }, () => {
    const id = uuid7()
    const dotted_order = `${root.dotted_order}.${root.dotted_order.slice(0, 22)}${id}`
    return { ...root, id, dotted_order, parent_run_id: root.id, name: 'child' }
  })
  return [root, ...children]
}

/** Up to a few kilobytes that carry their own checksum, so a mixed-up payload cannot look right. */
function aPayload(): string {
  const data = randomBytes(randomInt(10, 3000)).toString('base64')
  const sum = createHash('sha256').update(data).digest('hex')
  return `{"big":${9_007_199_254_740_993n + BigInt(randomInt(1000))},"data":"${data}","sum":"${sum}"}`
}

async function createByMultipart(url: string, heads: readonly RunHead[], inputs: readonly string[], ledger: Ledger) {
  const attachment = randomInt(4) === 0 ? randomBytes(randomInt(1, 20_000)) : undefined
  const parts = heads.flatMap((head, at): Part[] => [
    { name: `post.${head.id}`, body: JSON.stringify(head) },
    { name: `post.${head.id}.inputs`, body: inputs[at]! },
  ])
  if (attachment)
    parts.push({ name: `attachment.${heads[0]!.id}.blob`, body: attachment, type: 'application/octet-stream' })
  const { status } = await postMultipart(url, multipart(parts))
  if (status !== 202) return
  for (const [at, head] of heads.entries()) ledger.created(head.id, inputs[at]!, at === 0 ? attachment : undefined)
}

async function createByBatch(url: string, heads: readonly RunHead[], inputs: readonly string[], ledger: Ledger) {
  const post = heads.map((head, at) => `${JSON.stringify(head).slice(0, -1)},"inputs":${inputs[at]}}`)
  const { status } = await postJson(`${url}/runs/batch`, `{"post":[${post.join(',')}]}`)
  if (status === 202) for (const [at, head] of heads.entries()) ledger.created(head.id, inputs[at]!)
}

async function updateThem(url: string, heads: readonly RunHead[], ledger: Ledger) {
  const end_time = new Date().toISOString()
  const ends = heads.filter(() => randomInt(4) > 0).map((head) => ({ head, outputs: aPayload() }))
  if (ends.length === 0) return
  for (const { head, outputs } of ends) ledger.tried(head.id, outputs)
  const patches = ends.map(({ head: { id, trace_id, dotted_order }, outputs }) => {
    const place = JSON.stringify({ id, trace_id, dotted_order, end_time })
    return { id, json: `${place.slice(0, -1)},"outputs":${outputs}}` }
  })
  const answer =
    randomInt(3) === 0 && patches.length === 1
      ? await send(`${url}/runs/${patches[0]!.id}`, { method: 'PATCH', headers: JSON_TYPE, body: patches[0]!.json })
      : await postJson(`${url}/runs/batch`, `{"patch":[${patches.map(({ json }) => json).join(',')}]}`)
  if (answer.status === 202) for (const { head, outputs } of ends) ledger.updated(head.id, outputs)
}

const JSON_TYPE = { 'content-type': 'application/json' }
const wait = () => new Promise<void>((resolve) => setTimeout(resolve, 5))
