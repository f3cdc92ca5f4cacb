import { execFileSync } from 'node:child_process'
import { parseEnv } from 'node:util'
import { describe, expect, it } from 'vitest'
import { FIRST_DATASET } from '#features/datasets/snippets.ts'
import {
  agentEnvironment,
  curl,
  environment,
  evaluateEnvironment,
  evaluateInPython,
  evaluateInTypeScript,
  type LabeledSnippet,
  PAIRWISE_TYPESCRIPT,
  readExamplesSnippets,
  THREAD_TYPESCRIPT,
  TYPESCRIPT,
} from './snippets.ts'

const facts = { origin: 'http://localhost:3000', apiKey: 'key', project: `Ann's "first" $HOME app` }

const forShell = (snippets: readonly LabeledSnippet[]) => snippets[0]?.text ?? ''

function printedByShell(script: string): string {
  return execFileSync('sh', ['-c', script], { encoding: 'utf8' })
}

describe('onboarding snippets', () => {
  it('set the environment for any project name', () => {
    expect(printedByShell(`${forShell(environment(facts))}\nprintf %s "$LANGSMITH_PROJECT"`)).toBe(facts.project)
  })

  it('set the environment in PowerShell, and in a file that Node reads', () => {
    const [, powershell, file] = environment(facts)
    expect(powershell?.text.split('\n').at(-1)).toBe(`$env:LANGSMITH_PROJECT = 'Ann''s "first" $HOME app'`)
    expect(parseEnv(file?.text ?? '')).toEqual({
      LANGSMITH_TRACING: 'true',
      LANGSMITH_ENDPOINT: 'http://localhost:3000/api/v1',
      LANGSMITH_API_KEY: 'key',
      LANGSMITH_PROJECT: facts.project,
    })
  })

  it('name an agent and no project, which clients would refuse to combine', () => {
    const script = forShell(agentEnvironment({ ...facts, agentId: 'support' }))
    const printed = '\nprintf "%s %s %s" "$LANGSMITH_AGENT_ID" "$LANGSMITH_AGENT_ENVIRONMENT" "$LANGSMITH_PROJECT"'
    expect(printedByShell(`export LANGSMITH_PROJECT=old\n${script}${printed}`)).toBe('support production ')
  })

  it('send one complete run by curl', () => {
    const printed = printedByShell(`curl() { for word; do last=$word; done; printf %s "$last"; }\n${curl(facts)}`)
    const run = JSON.parse(printed)
    expect(run).toMatchObject({ name: 'greet', session_name: facts.project })
    // Clock: the snippet sends the time of now.
    expect(Date.now() - Date.parse(run.start_time)).toBeLessThan(60_000)
    expect(run.end_time >= run.start_time).toBe(true)
  })

  it('run an experiment over a dataset of any name', () => {
    const script = forShell(evaluateEnvironment({ origin: facts.origin, apiKey: '<your key>' }))
    const printed = '\nprintf "%s %s" "$LANGSMITH_ENDPOINT" "$LANGSMITH_API_KEY"'
    expect(printedByShell(`${script}${printed}`)).toBe('http://localhost:3000/api/v1 <your key>')
    const name = `Ann's "golden" \\ set`
    const program = evaluateInPython(name).replace(
      'from langsmith import evaluate',
      'def evaluate(_, data, **rest): print(data)',
    )
    expect(execFileSync('python3', ['-c', program], { encoding: 'utf8' }).trim()).toBe(name)
  })

  it.each([
    ['tracing', TYPESCRIPT],
    ['threads', THREAD_TYPESCRIPT],
    ['evaluate', evaluateInTypeScript('golden')],
    ['pairwise', PAIRWISE_TYPESCRIPT],
    ['examples', readExamplesSnippets({ dataset: 'golden', asOf: undefined, split: undefined })[1]?.text ?? ''],
    ['a dataset', FIRST_DATASET[1]?.text ?? ''],
  ])('import only what npm has: %s', (_, program) => {
    const packages = Array.from(program.matchAll(/(?:from|npm install) '?([^'\n]+)/g), ([, name]) => name)
    expect(packages.length).toBeGreaterThan(0)
    expect(packages.filter((name) => !/^(langsmith|node:)/.test(name ?? ''))).toEqual([])
  })
})
