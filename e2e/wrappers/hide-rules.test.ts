import Anthropic from '@anthropic-ai/sdk'
import { GoogleGenAI } from '@google/genai'
import { createAnonymizer } from '@touchstone/sdk/anonymizer'
import { wrapOpenAI } from '@touchstone/sdk/wrappers'
import { wrapAnthropic } from '@touchstone/sdk/wrappers/anthropic'
import { wrapGemini } from '@touchstone/sdk/wrappers/gemini'
import OpenAI from 'openai'
import { describe, expect, it } from 'vitest'
import { FAKE_TEXT } from '../support/fake-provider.ts'
import { aProject, metadataOf, type TracedProject, USAGE, useServerAndProvider } from './support/traced-project.ts'

const started = useServerAndProvider()

const model = 'fake-model'
const messages = [{ role: 'user' as const, content: 'My number is 4111111111111111' }]
const metadata = { customer: '4111111111111111' }
const apiKey = 'none'

/** A streamed call of each wrapped client. */
const CALLS: readonly [name: string, call: (project: TracedProject) => Promise<void>][] = [
  [
    'OpenAI',
    async ({ settings }) => {
      const openai = wrapOpenAI(new OpenAI({ apiKey, baseURL: started.provider.url }), { ...settings, metadata })
      const body = { model, messages, stream: true as const, stream_options: { include_usage: true } }
      for await (const _ of await openai.chat.completions.create(body));
    },
  ],
  [
    'Anthropic',
    async ({ settings }) => {
      const baseURL = started.provider.url.replace(/\/v1$/, '')
      const anthropic = wrapAnthropic(new Anthropic({ apiKey, baseURL }), { ...settings, metadata })
      for await (const _ of await anthropic.messages.create({ model, messages, max_tokens: 64, stream: true }));
    },
  ],
  [
    'Gemini',
    async ({ settings }) => {
      const baseUrl = started.provider.geminiUrl.replace(/\/v1beta$/, '')
      const ai = wrapGemini(new GoogleGenAI({ apiKey, httpOptions: { baseUrl } }), { ...settings, metadata })
      for await (const _ of await ai.models.generateContentStream({ model, contents: messages[0]?.content ?? '' }));
    },
  ],
]

describe.each(CALLS)('a wrapped client of %s', (_, call) => {
  it('removes what its tracing client hides, and keeps usage and the time of the first token', async () => {
    const project = aProject(started.server, { hideInputs: true, hideOutputs: true, hideMetadata: true })
    await call(project)
    const [run] = await project.runs()
    expect([run?.inputs, run?.outputs]).toEqual([{}, {}])
    expect(JSON.stringify(metadataOf(run))).not.toMatch(/4111|fake-model/)
    expect(run).toMatchObject({ prompt_tokens: USAGE.input_tokens, completion_tokens: USAGE.output_tokens })
    expect(run?.first_token_time).toBeTruthy()
  })

  it('replaces what an anonymizer finds, everywhere', async () => {
    const anonymizer = createAnonymizer([{ pattern: /\d{16}/g, replace: '<card>' }])
    const project = aProject(started.server, { anonymizer })
    await call(project)
    const [run] = await project.runs()
    const text = JSON.stringify([run?.inputs, run?.outputs, metadataOf(run)])
    expect(text).not.toContain('4111')
    expect(text.match(/<card>/g)).toHaveLength(2)
    expect(text).toContain(FAKE_TEXT[0])
    expect(run?.total_tokens).toBe(USAGE.total_tokens)
  })
})
