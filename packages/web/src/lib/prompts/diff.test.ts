import { readManifest } from '@touchstone/contract/prompt-manifest'
import { describe, expect, it } from 'vitest'
import { listDiffSections } from './diff.ts'

const lc = (id: string, kwargs: object) => ({ lc: 1, type: 'constructor', id: ['langchain', id], kwargs })
const template = (text: string, template_format = 'f-string') =>
  lc('PromptTemplate', { template: text, template_format })
const chat = (text: string, more: object = {}) =>
  lc('ChatPromptTemplate', { messages: [lc('SystemMessagePromptTemplate', { prompt: template(text) })], ...more })
const chain = (text: string, settings: object, tools: object[] = []) =>
  lc('RunnableSequence', {
    first: chat(text),
    last: lc('RunnableBinding', { bound: lc('ChatOpenAI', settings), kwargs: { tools } }),
  })

function side(manifest: unknown) {
  const read = readManifest(manifest)
  return { manifest, document: 'document' in read ? read.document : undefined }
}

const titles = (a: unknown, b: unknown) => listDiffSections(side(a), side(b)).map(({ title }) => title)

describe('the differences of two commits', () => {
  it('are none for the same content', () => {
    expect(titles(chain('Hi', { model: 'a' }), chain('Hi', { model: 'a' }))).toEqual([])
  })

  it('are listed apart: messages, model, tools', () => {
    expect(titles(chat('Hi'), chat('Hello'))).toEqual(['Messages'])
    expect(titles(chain('Hi', { temperature: 0 }), chain('Hi', { temperature: 1 }))).toEqual(['Model'])
    const tool = { name: 'find', parameters: {} }
    expect(titles(chain('Hi', {}), chain('Hello', { model: 'a' }, [tool]))).toEqual(['Messages', 'Model', 'Tools'])
    expect(titles(chat('Hi'), chain('Hi', { model: 'a' }))).toEqual(['Model'])
  })

  it('name a change of the schema and of values that the prompt fills in', () => {
    const structured = (schema_: object) => lc('StructuredPrompt', { messages: [], schema_ })
    expect(titles(structured({ a: 1 }), structured({ a: 2 }))).toEqual(['Output schema'])
    const filled = (day: string) => chat('Hi', { partial_variables: { day } })
    expect(titles(filled('a'), filled('b'))).toEqual(['Values of variables'])
  })

  it('name a change of the language of a template, which no text shows', () => {
    const [section] = listDiffSections(side(template('Hi')), side(template('Hi', 'mustache')))
    expect(section?.request).toMatchObject({
      kind: 'chat',
      a: [{ role: 'prompt', text: 'Hi' }],
      b: [{ role: 'prompt (mustache)', text: 'Hi' }],
    })
  })

  it('are those of the manifest where nothing else shows them', () => {
    expect(titles(lc('FewShotPromptTemplate', { a: 1 }), chat('Hi'))).toEqual(['Manifest'])
    expect(titles(chat('Hi', { output_parser: 1 }), chat('Hi', { output_parser: 2 }))).toEqual(['Manifest'])
    expect(titles(chat('Hi', { metadata: { a: 1 } }), chat('Hi', { metadata: { a: 2 } }))).toEqual(['Metadata'])
  })

  it('survive values of 20,000 levels', () => {
    let deep: unknown = 'end'
    for (let level = 0; level < 20_000; level++) deep = [deep]
    expect(titles(chain('Hi', { deep }), chain('Hi', {}))).toEqual(['Model'])
    expect(titles({ deep }, { deep: [deep] })).toEqual([])
  })
})
