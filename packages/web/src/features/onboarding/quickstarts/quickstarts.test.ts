import { execFileSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { ENVIRONMENTS, findQuickstart, QUICKSTARTS } from './quickstarts.ts'

const facts = { origin: 'http://localhost:3000', apiKey: 'key', project: 'shop' }

/** The value of a variable after the lines for a shell were run. */
function readVariable(kind: keyof typeof ENVIRONMENTS, name: string, project: string): string {
  const [shell] = ENVIRONMENTS[kind]({ ...facts, project })
  return execFileSync('sh', ['-c', `${shell?.text}\nprintf %s "$${name}"`], { encoding: 'utf8' })
}

/** Headers as exporters read them. */
const parseHeaders = (text: string) =>
  Object.fromEntries(text.split(',').map((pair) => pair.split('=').map(decodeURIComponent)))

describe('quickstarts', () => {
  it('have an id each, and the first one for an id that does not exist', () => {
    expect(new Set(QUICKSTARTS.map(({ id }) => id)).size).toBe(QUICKSTARTS.length)
    expect(findQuickstart('crewai').name).toBe('CrewAI')
    expect(findQuickstart('no-such').id).toBe('python')
    expect(findQuickstart(undefined).id).toBe('python')
  })

  it.each([
    ['shop', 'shop'],
    [`Ann's "first", $HOME=1`, `Ann's "first", $HOME=1`],
    // Exporters send ASCII only; the server decodes it.
    ['購物', '%E8%B3%BC%E7%89%A9'],
  ])('name the project %s in a header', (project, sent) => {
    const headers = parseHeaders(readVariable('opentelemetry', 'OTEL_EXPORTER_OTLP_HEADERS', project))
    expect(headers).toEqual({ 'x-api-key': 'key', 'Langsmith-Project': sent })
  })

  it('name the project in the program of Langfuse, and in the configuration of a collector', () => {
    const textOf = (id: string, at: number, project: string) =>
      findQuickstart(id).programs({ ...facts, project })[at]?.text
    expect(textOf('langfuse', 0, 'a "b"')).toContain('{"Langsmith-Project": "a \\"b\\""}')
    expect(textOf('opentelemetry', 2, 'a $b')).toContain('Langsmith-Project: "a $$b"')
  })
})
