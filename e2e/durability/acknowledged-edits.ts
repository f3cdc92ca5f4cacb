import { randomBytes, randomUUID } from 'node:crypto'
import { type Answer, aRunHead, multipart, postJson, postMultipart, send } from '../support/raw-ingest.ts'

/** Something that a server acknowledged, and how to find out later whether it is still there. */
interface Acknowledged {
  readonly what: string
  /** Returns the server's answer in place of it, or undefined when it is stored. */
  findFault(url: string): Promise<string | undefined>
}

/** What examples and feedback are written to. */
export interface EditTargets {
  readonly datasetId: string
  readonly runId: string
}

/** A ledger, kept outside the server, of examples, feedback, commits and attachments that were acknowledged. */
export class EditLedger {
  readonly acknowledged: Acknowledged[] = []

  /** Tries one edit of each kind and returns the answers. */
  async tryAll(url: string, targets: EditTargets): Promise<Answer[]> {
    return [
      await this.#example(url, targets.datasetId),
      await this.#feedback(url, targets.runId),
      await this.#commit(url),
      await this.#attachment(url),
    ]
  }

  /** Lists acknowledged edits that are lost, with the server's answer in place of each. */
  async findLost(url: string): Promise<string[]> {
    const lost: string[] = []
    for (const { what, findFault } of this.acknowledged) {
      const fault = await findFault(url)
      if (fault !== undefined) lost.push(`${what}: ${fault}`)
    }
    return lost
  }

  async #example(url: string, dataset_id: string): Promise<Answer> {
    const id = randomUUID()
    const answer = await postJson(`${url}/examples`, JSON.stringify({ id, dataset_id, inputs: { text: aText() } }))
    return this.#note(answer, `example ${id}`, (at) => faultOf(`${at}/examples/${id}`))
  }

  async #feedback(url: string, run_id: string): Promise<Answer> {
    const id = randomUUID()
    const body = { id, run_id, key: 'full-disk', score: 1, comment: aText().slice(0, 2_000) }
    const answer = await postJson(`${url}/feedback`, JSON.stringify(body))
    return this.#note(answer, `feedback ${id}`, (at) => faultOf(`${at}/feedback/${id}`))
  }

  async #commit(url: string): Promise<Answer> {
    const handle = `prompt-${randomUUID()}`
    const made = await postJson(`${url}/repos`, JSON.stringify({ repo_handle: handle, is_public: false }))
    if (made.status !== 200) return made
    const id = ['langchain', 'prompts', 'prompt', 'PromptTemplate']
    const manifest = { lc: 1, type: 'constructor', id, kwargs: { template: aText(), input_variables: [] } }
    const answer = await postJson(`${url}/commits/-/${handle}`, JSON.stringify({ manifest }))
    return this.#note(answer, `commit of ${handle}`, (at) => faultOf(`${at}/commits/-/${handle}/latest`))
  }

  async #attachment(url: string): Promise<Answer> {
    const run = aRunHead({ session_name: 'full disk' })
    const bytes = randomBytes(50_000)
    const answer = await postMultipart(
      url,
      multipart([
        { name: `post.${run.id}`, body: JSON.stringify(run) },
        { name: `attachment.${run.id}.file`, body: bytes, type: 'application/octet-stream' },
      ]),
    )
    return this.#note(answer, `attachment of ${run.id}`, async (at) => {
      const stored = await send(`${at}/runs/${run.id}`)
      if (stored.status !== 200) return `${stored.status} ${stored.text}`
      const { s3_urls } = JSON.parse(stored.text) as { s3_urls: Record<string, { presigned_url: string }> | null }
      const [file] = Object.values(s3_urls ?? {})
      if (file === undefined) return 'no attachment'
      const read = await fetch(new URL(file.presigned_url, `${at}/api/v1/`))
      if (!read.ok) return `${read.status} ${await read.text()}`
      return Buffer.from(await read.arrayBuffer()).equals(bytes) ? undefined : 'other bytes'
    })
  }

  #note(answer: Answer, what: string, findFault: Acknowledged['findFault']): Answer {
    if (answer.status < 300) this.acknowledged.push({ what, findFault })
    return answer
  }
}

/** Text of 20 kB that does not compress. */
const aText = () => randomBytes(10_000).toString('hex')

async function faultOf(url: string): Promise<string | undefined> {
  const { status, text } = await send(url)
  return status === 200 ? undefined : `${status} ${text}`
}
