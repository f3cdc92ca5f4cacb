import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectAccessibleInThemes } from '../support/accessibility.ts'
import { expectQuietConsole, openWorkspace, type Ui } from '../support/start-ui.ts'
import { projectIdOf } from '../support/trace-writer.ts'

let ui: Ui
beforeAll(async () => {
  ui = await openWorkspace()
})
afterAll(() => ui?.stop())

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const TRACE = '0af7651916cd43dd8448eb211c80319c'
const ROOT = '0af76519-16cd-43dd-8448-eb211c80319c'
const CALL = '00000000-0000-0000-00f0-67aa0ba902b7'

const agent = {
  'gen_ai.operation.name': 'invoke_agent',
  'gen_ai.agent.name': 'Painter',
  'gen_ai.usage.input_tokens': 113,
  'gen_ai.usage.output_tokens': 11,
}
const call = {
  'gen_ai.operation.name': 'chat',
  'gen_ai.provider.name': 'openai',
  'gen_ai.request.model': 'gpt-4o',
  'gen_ai.usage.input_tokens': 113,
  'gen_ai.usage.output_tokens': 11,
  'gen_ai.input.messages': JSON.stringify([
    {
      role: 'user',
      parts: [
        { type: 'text', content: 'What is on this picture?' },
        { type: 'blob', modality: 'image', mime_type: 'image/png', content: PNG },
      ],
    },
  ]),
  'gen_ai.output.messages': JSON.stringify([
    {
      role: 'assistant',
      parts: [
        { type: 'reasoning', content: 'One pixel.' },
        { type: 'text', content: 'A dot.' },
      ],
    },
  ]),
}

const aSpan = (spanId: string, name: string, attributes: Record<string, string | number>, parentSpanId?: string) => ({
  traceId: TRACE,
  spanId,
  name,
  kind: 1,
  startTimeUnixNano: String(BigInt(Date.now() - 1_000) * 1_000_000n),
  endTimeUnixNano: String(BigInt(Date.now()) * 1_000_000n),
  attributes: Object.entries(attributes).map(([key, value]) => ({
    key,
    value: typeof value === 'number' ? { intValue: String(value) } : { stringValue: value },
  })),
  ...(parentSpanId !== undefined && { parentSpanId }),
})

describe('a trace of OpenTelemetry', () => {
  it('shows messages with their pictures, and grey what a run only sums up', async () => {
    const spans = [
      aSpan('b7ad6b7169203331', 'run', agent),
      aSpan('00f067aa0ba902b7', 'chat gpt-4o', call, 'b7ad6b7169203331'),
    ]
    const sent = await fetch(`${ui.server.url}/otel/v1/traces`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': 'any', 'langsmith-project': 'painting' },
      body: JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] }),
    })
    expect(sent.status).toBe(200)

    const projectId = await projectIdOf(ui.server.url, 'painting')
    const page = await ui.open(`/o/${ui.tenant}/projects/p/${projectId}/r/${ROOT}`)
    await page.getByText('113 → 11 tokens', { exact: true }).waitFor()
    await page.goto(`${ui.server.url}/o/${ui.tenant}/projects/p/${projectId}/r/${CALL}?trace_id=${ROOT}`)
    await page.getByText('What is on this picture?').first().waitFor()
    const picture = page.getByRole('img', { name: /^image-[0-9a-f]{12}\.png$/ })
    await picture.waitFor()
    expect(await picture.evaluate((image: HTMLImageElement) => image.decode().then(() => image.naturalWidth))).toBe(1)
    await page.getByText('A dot.').first().waitFor()
    await expectAccessibleInThemes(page, 'a run that sums up')
    expectQuietConsole(page)
  })
})
