import { Client } from '@touchstone/sdk'
import { HTML, LURES, luresAsKeys, MARKDOWN, ODD_TYPES, prototypeKeys, SVG, XML } from './hostile-corpus.ts'
import { seedHostileNames } from './seed-hostile-names.ts'
import { projectIdOf } from './trace-writer.ts'

export interface HostileWorkspace {
  readonly projectId: string
  /** Root runs, each with a child of every kind. */
  readonly roots: readonly string[]
  /** A run with a hostile error, and a model call with hostile messages. */
  readonly failed: string
  readonly model: string
  readonly threadId: string
  readonly shareToken: string
  readonly datasetId: string
  readonly exampleId: string
  /** Of the public link of the dataset. */
  readonly datasetToken: string
  readonly queueId: string
  /** Handle of a prompt. */
  readonly repo: string
  readonly evaluatorId: string
  /** API key for sign-in: creating a hostile key enabled authentication. */
  readonly key: string
}

const lure = (at: number) => LURES[at % LURES.length]!
/** Labels without control characters and of limited length, as the store requires. */
const label = (at: number) =>
  lure(at)
    .replaceAll(/\p{Cc}/gu, '')
    .slice(0, 200)

/** Puts every hostile text into every field that a page shows, through our own client. */
export async function seedHostile(url: string): Promise<HostileWorkspace> {
  const client = new Client({ apiUrl: url, apiKey: 'any' })
  const project = `hostile ${label(1)}`
  const threadId = label(3)
  const startMs = Date.now() - 10 * 60_000
  let at = 0
  const run = async (parent: Written | undefined, type: string, fields: object): Promise<Written> => {
    const id = crypto.randomUUID()
    const start = startMs + at * 1_000
    const segment = `${new Date(start).toISOString().replaceAll(/[-:.]/g, '').replace('Z', '000Z')}${id}`
    const written = {
      id,
      trace_id: parent?.trace_id ?? id,
      dotted_order: parent ? `${parent.dotted_order}.${segment}` : segment,
    }
    const name = lure(at).replaceAll('\u0000', '')
    await client.createRun({
      ...written,
      name,
      run_type: type,
      project_name: project,
      ...(parent && { parent_run_id: parent.id }),
      start_time: start,
      end_time: start + 500,
      tags: [label(at), label(at + 1), label(at + 2)],
      inputs: { ...luresAsKeys(), nested: prototypeKeys(), list: LURES },
      outputs: { answer: lure(at), ...prototypeKeys() },
      extra: { metadata: { ...luresAsKeys(), ...prototypeKeys(), thread_id: threadId }, runtime: luresAsKeys() },
      events: LURES.map((text) => ({ name: text, time: new Date(start).toISOString(), kwargs: { token: text } })),
      ...fields,
    })
    at++
    return written
  }

  const roots: string[] = []
  let failed = ''
  let model = ''
  for (const [number] of LURES.entries()) {
    const root = await run(undefined, 'chain', conversation(number))
    roots.push(root.id)
    const tool = await run(root, 'tool', { attachments: filesOf(number) })
    await run(tool, 'retriever', {
      outputs: { documents: LURES.map((page_content) => ({ page_content, metadata: luresAsKeys() })) },
    })
    model = (await run(root, 'llm', modelCall(number))).id
    failed = (
      await run(root, 'chain', {
        error: `${lure(number)}\n  at ${lure(number + 1)} (${lure(number + 12)})`,
        outputs: undefined,
      })
    ).id
  }
  await client.flush()
  const projectId = await projectIdOf(url, project)
  await client.updateProject(projectId, { description: label(2), metadata: luresAsKeys() })
  for (const [number] of LURES.entries()) {
    const comment = lure(number)
    await client.createFeedback(roots[number]!, `key-${number}`, { score: number, value: label(number), comment })
    await client.createFeedback(roots[0]!, label(number).slice(0, 100) || 'key', {
      value: lure(number),
      comment,
      correction: luresAsKeys(),
    })
  }
  const categories = [
    { value: 0, label: label(0) },
    { value: 1, label: label(1) },
  ]
  await client.createFeedbackConfig({ feedbackKey: label(4), feedbackConfig: { type: 'categorical', categories } })
  const link = await client.shareRun(roots[0]!)
  const shareToken = /public\/([0-9a-f-]{36})/.exec(link)![1]!
  const { key } = await client.createApiKey({ description: label(0) })
  const evaluation = await seedHostileNames(url, key, { projectId, runIds: roots })
  return { projectId, roots, failed, model, threadId, shareToken, key, ...evaluation }
}

interface Written {
  readonly id: string
  readonly trace_id: string
  readonly dotted_order: string
}

/** A conversation with one of the texts; the first one has each of them as a message, too. */
const conversation = (number: number) => ({
  inputs: {
    messages: [
      ...(number === 0 ? LURES.map((content) => ({ role: 'user', content })) : []),
      { role: 'user', content: `${lure(number)}\n\n${MARKDOWN}` },
    ],
  },
  outputs: { messages: [{ role: 'assistant', content: MARKDOWN }] },
})

function modelCall(number: number) {
  const call = {
    id: lure(number),
    type: 'function',
    function: { name: lure(number), arguments: JSON.stringify(luresAsKeys()) },
  }
  const parts = [
    { type: 'text', text: MARKDOWN },
    { type: 'image_url', image_url: { url: `data:image/svg+xml,${encodeURIComponent(SVG)}` } },
    { type: 'image_url', image_url: { url: 'https://evil.example/model.png' } },
    { type: 'image_url', image_url: { url: "javascript:alert('ran')" } },
    { type: 'file', file: { filename: lure(number), file_data: `data:text/html,${encodeURIComponent(HTML)}` } },
    { type: lure(number), [lure(number)]: lure(number) },
  ]
  return {
    inputs: {
      model: lure(number),
      messages: [
        { role: 'system', content: lure(number) },
        { role: lure(number), content: lure(number + 1), name: lure(number) },
        { role: '__proto__', content: MARKDOWN },
        { role: 'user', content: parts },
        { role: 'assistant', content: null, tool_calls: [call] },
        { role: 'tool', tool_call_id: lure(number), content: MARKDOWN },
      ],
      tools: [
        { type: 'function', function: { name: lure(number), description: MARKDOWN, parameters: prototypeKeys() } },
      ],
    },
    outputs: {
      choices: [
        { message: { role: 'assistant', content: MARKDOWN, reasoning_content: lure(number), tool_calls: [call] } },
      ],
    },
    extra: {
      metadata: { ls_provider: label(number), ls_model_name: label(number), ...luresAsKeys() },
      invocation_params: luresAsKeys(),
    },
  }
}

const filesOf = (number: number): Record<string, [string, Uint8Array]> => ({
  [`picture ${label(number).replaceAll('.', ' ').slice(0, 60)}`]: ['image/svg+xml', new TextEncoder().encode(SVG)],
  page: ['text/html', new TextEncoder().encode(HTML)],
  lie: ['image/png', new TextEncoder().encode(HTML)],
  script: ['text/javascript', new TextEncoder().encode("alert('ran')")],
  sheet: ['application/xml', new TextEncoder().encode(XML)],
  odd: [ODD_TYPES[number % ODD_TYPES.length]!, new TextEncoder().encode(HTML)],
})
