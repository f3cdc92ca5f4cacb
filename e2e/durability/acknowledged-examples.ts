import { randomBytes, randomInt, randomUUID } from 'node:crypto'
import { multipart, type Part, postJson, send } from '../support/raw-ingest.ts'

/** One upload: all of its examples, or none. */
interface Upload {
  readonly datasetId: string
  readonly ids: readonly string[]
  readonly attachment: Buffer | undefined
  isAcknowledged: boolean
}

/** A ledger of every upload that was tried, kept outside the server; the judge after each crash. */
export class UploadLedger {
  readonly uploads = new Map<string, Upload>()

  get acknowledged(): number {
    return [...this.uploads.values()].filter((upload) => upload.isAcknowledged).length
  }
}

/** One client's life: uploads batches of examples to one of the datasets until `signal` ends it. */
export async function uploadUntil(
  signal: AbortSignal,
  url: string,
  datasetIds: readonly string[],
  ledger: UploadLedger,
): Promise<void> {
  while (!signal.aborted) {
    const batch = randomUUID()
    const upload: Upload = {
      datasetId: datasetIds[randomInt(datasetIds.length)]!,
      ids: Array.from({ length: randomInt(1, 400) }, () => randomUUID()),
      attachment: randomInt(3) === 0 ? randomBytes(randomInt(1, 20_000)) : undefined,
      isAcknowledged: false,
    }
    ledger.uploads.set(batch, upload)
    const path = `${url}/v1/platform/datasets/${upload.datasetId}/examples`
    const { body, contentType } = multipart(partsOf(batch, upload))
    const answer = await send(path, {
      method: 'POST',
      headers: { 'content-type': contentType },
      body: new Uint8Array(body),
    }).catch(wait)
    if (answer?.status === 201) upload.isAcknowledged = true
  }
}

function partsOf(batch: string, { ids, attachment }: Upload): Part[] {
  const parts = ids.flatMap((id, at): Part[] => [
    { name: id, body: JSON.stringify({ metadata: { batch, at } }) },
    { name: `${id}.inputs`, body: inputsOf(batch, id) },
  ])
  if (attachment) parts.push({ name: `${ids[0]}.attachment.blob`, body: attachment, type: 'application/octet-stream' })
  return parts
}

const inputsOf = (batch: string, id: string) => JSON.stringify({ id, batch, text: batch.repeat(20) })

/**
 * Compares what the server holds of each upload with what it promised.
 *
 * @returns a sentence for each broken promise
 */
export async function findBrokenUploads(url: string, datasetIds: readonly string[], ledger: UploadLedger) {
  const broken: string[] = []
  for (const datasetId of datasetIds) {
    const held = await readAll(url, datasetId)
    const uploads = [...ledger.uploads].filter(([, upload]) => upload.datasetId === datasetId)
    let complete = 0
    for (const [batch, upload] of uploads) {
      const there = upload.ids.filter((id) => held.has(id))
      if (there.length > 0) complete++
      if (there.length > 0 && there.length < upload.ids.length) {
        broken.push(`${batch}: ${there.length} of ${upload.ids.length} examples are there`)
      }
      if (upload.isAcknowledged && there.length === 0) broken.push(`${batch}: was acknowledged and is gone`)
      for (const id of there) {
        if (JSON.stringify(held.get(id)!.inputs) !== inputsOf(batch, id)) broken.push(`${id}: has other inputs`)
      }
      if (there.length > 0 && upload.attachment) broken.push(...(await judgeAttachment(url, upload)))
    }
    const dataset = (await read(`${url}/datasets/${datasetId}`)) as { example_count: number }
    if (dataset.example_count !== held.size) {
      broken.push(`${datasetId}: counts ${dataset.example_count} examples and has ${held.size}`)
    }
    const versions = await countVersions(url, datasetId)
    if (versions !== complete) broken.push(`${datasetId}: has ${versions} versions of ${complete} uploads`)
  }
  return broken
}

async function judgeAttachment(url: string, { ids, attachment }: Upload): Promise<string[]> {
  const { attachment_urls } = (await read(`${url}/examples/${ids[0]}`)) as {
    attachment_urls: Record<string, { presigned_url: string }>
  }
  const link = attachment_urls['attachment.blob']?.presigned_url
  if (link === undefined) return [`${ids[0]}: has lost its attachment`]
  const bytes = Buffer.from(await (await fetch(link)).arrayBuffer())
  return bytes.equals(attachment!) ? [] : [`${ids[0]}: has an attachment that is not the one sent`]
}

async function readAll(url: string, datasetId: string): Promise<Map<string, { inputs: unknown }>> {
  const held = new Map<string, { inputs: unknown }>()
  for (let offset = 0; ; offset += 100) {
    const page = (await read(`${url}/examples?dataset=${datasetId}&limit=100&offset=${offset}`)) as {
      id: string
      inputs: unknown
    }[]
    for (const example of page) held.set(example.id, example)
    if (page.length < 100) return held
  }
}

async function countVersions(url: string, datasetId: string): Promise<number> {
  for (let offset = 0; ; offset += 100) {
    const page = (await read(`${url}/datasets/${datasetId}/versions?offset=${offset}`)) as unknown[]
    if (page.length < 100) return offset + page.length
  }
}

export async function createDataset(url: string, name: string): Promise<string> {
  const { text } = await postJson(`${url}/datasets`, JSON.stringify({ name }))
  return (JSON.parse(text) as { id: string }).id
}

async function read(url: string): Promise<unknown> {
  const answer = await fetch(url)
  if (!answer.ok) throw new Error(`GET ${url} was answered ${answer.status}: ${await answer.text()}`)
  return answer.json()
}

const wait = () => new Promise<undefined>((resolve) => setTimeout(() => resolve(undefined), 5))
