import { Client } from '@touchstone/sdk'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type SharedServer, shareServer } from '../../support/share-server.ts'
import { aClient, collect } from './a-client.ts'

let server: SharedServer
beforeAll(async () => {
  server = await shareServer()
})
afterAll(() => server?.stop())

const CODE = { code: 'def perform_eval(run, example): return {"score": 1}' }

describe('evaluators of a workspace', () => {
  it('are kept, changed, listed to their end and deleted by the public JavaScript client', async () => {
    const { evaluators } = aClient(server.url)
    const { evaluator } = await evaluators.create({ name: 'exact', type: 'code', code_evaluator: CODE })
    const judge = { prompt_repo_handle: 'judge', commit_hash_or_tag: 'prod', variable_mapping: { answer: 'output' } }
    for (const name of ['first', 'second']) await evaluators.create({ name, type: 'llm', llm_evaluator: judge })

    const names = async (query: object) => (await collect(evaluators.list(query))).map(({ name }) => name)
    expect(await names({ limit: 2 })).toEqual(['second', 'first', 'exact'])
    expect(await names({ type: 'code' })).toEqual(['exact'])
    await evaluators.update(evaluator!.id!, { name: 'exact match' })
    expect(await evaluators.retrieve(evaluator!.id!)).toMatchObject({ name: 'exact match', code_evaluator: CODE })
    await evaluators.delete(evaluator!.id!)
    expect(await names({})).toEqual(['second', 'first'])
  })

  it('are kept, changed, listed and deleted by our client', async () => {
    const client = new Client({ apiUrl: `${server.url}/api/v1` })
    const metadata = { team: 'search' }
    const { id } = await client.createEvaluator({ name: 'ours', type: 'code', codeEvaluator: CODE, metadata })
    expect((await collect(client.listEvaluators({ metadata }))).map((one) => one.id)).toEqual([id])
    await client.updateEvaluator(id, { codeEvaluator: { code_evaluator_input: 'thread' }, metadata: null })
    expect(await client.readEvaluator(id)).toMatchObject({
      code_evaluator: { ...CODE, code_evaluator_input: 'thread' },
      metadata: null,
    })
    await client.deleteEvaluator(id)
    await expect(client.readEvaluator(id)).rejects.toMatchObject({ status: 404 })
  })
})
