import { ChatPromptTemplate, MessagesPlaceholder, StructuredPrompt } from '@langchain/core/prompts'
import type { RunnableSequence } from '@langchain/core/runnables'
import { ChatOpenAI } from '@langchain/openai'
import * as hub from 'langchain/hub'
import * as hubOfNode from 'langchain/hub/node'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type SharedServer, shareServer } from '../../support/share-server.ts'
import { MODEL_ANSWER, type Model, startModel } from '../../support/start-model.ts'
import { aClient, aProjectName, collect } from './a-client.ts'

let server: SharedServer
let model: Model
/** How a program reaches the hub when it does not use the environment. */
let reach: { apiUrl: string; apiKey: string; skipCache: true }
beforeAll(async () => {
  ;[server, model] = await Promise.all([shareServer(), startModel()])
  reach = { apiUrl: `${server.url}/api/v1`, apiKey: 'any', skipCache: true }
})
afterAll(async () => {
  await Promise.all([model?.close(), server?.stop()])
})

const aPrompt = (manner = 'You are {manner}.') =>
  ChatPromptTemplate.fromMessages([
    ['system', manner],
    new MessagesPlaceholder({ variableName: 'history', optional: true }),
    ['user', '{question}'],
  ])
const values = { manner: 'brief', question: 'Is it gold?' }
const aModel = () =>
  new ChatOpenAI({ model: 'gpt-4.1-mini', apiKey: 'none', maxRetries: 0, configuration: { baseURL: model.url } })
const secrets = { OPENAI_API_KEY: 'none' }

describe("LangChain's own hub", () => {
  it.each([
    ['langchain/hub', hub],
    ['langchain/hub/node', hubOfNode],
  ])('pushes a prompt and pulls it ready to run, at every commit: %s', async (_entry, { push, pull }) => {
    const name = aProjectName('hub')
    const url = await push(name, aPrompt(), { ...reach, description: 'Answers', tags: ['gold'], isPublic: false })
    expect(url).toMatch(new RegExp(`/prompts/${name}/[0-9a-f]{8}\\?organizationId=`))
    await push(name, aPrompt('You are very {manner}.'), reach)
    const client = aClient(server.url)
    const [, first] = await collect(client.listCommits(`-/${name}`))

    const newest = await pull<ChatPromptTemplate>(name, reach)
    const oldest = await pull<ChatPromptTemplate>(`${name}:${first!.commit_hash.slice(0, 8)}`, reach)

    expect(newest).toBeInstanceOf(ChatPromptTemplate)
    expect((await newest.invoke(values)).toChatMessages()[0]!.content).toBe('You are very brief.')
    expect((await oldest.invoke(values)).toChatMessages()).toEqual((await aPrompt().invoke(values)).toChatMessages())
    expect(newest.metadata).toMatchObject({ lc_hub_owner: '-', lc_hub_repo: name })
    // The notes that a pull leaves in a prompt are nothing new.
    await expect(push(name, newest, reach)).rejects.toThrow('Nothing to commit')
    expect(await client.getPrompt(name)).toMatchObject({ description: 'Answers', tags: ['gold'], num_commits: 2 })
  })

  it('pulls a prompt with its model, which then answers', async () => {
    const name = aProjectName('hub-model')
    await hubOfNode.push(name, aPrompt().pipe(aModel()), reach)

    const prompt = await hubOfNode.pull<ChatPromptTemplate>(name, reach)
    const chain = await hubOfNode.pull<RunnableSequence>(name, { ...reach, includeModel: true, secrets })
    const given = await hub.pull<RunnableSequence>(name, {
      ...reach,
      includeModel: true,
      modelClass: ChatOpenAI,
      secrets,
    })

    expect((await prompt.invoke(values)).toChatMessages()).toHaveLength(2)
    for (const runnable of [chain, given]) {
      expect((await runnable.invoke(values)).content).toBe(MODEL_ANSWER.join(''))
    }
  })

  it('keeps the name of a secret, and never the secret', async () => {
    const name = aProjectName('hub-secret')
    const model = new ChatOpenAI({ model: 'gpt-4.1-mini', apiKey: 'sk-this-is-secret' })
    await hubOfNode.push(name, aPrompt().pipe(model), reach)
    const stored = JSON.stringify(await aClient(server.url).pullPromptCommit(name, { includeModel: true }))
    expect(stored).not.toContain('this-is-secret')
    expect(stored).toContain('"type":"secret","id":["OPENAI_API_KEY"]')
  })

  it('pulls a structured prompt with its schema', async () => {
    const name = aProjectName('hub-structured')
    const schema = { title: 'Assay', type: 'object', properties: { gold: { type: 'boolean' } } }
    await hub.push(name, StructuredPrompt.fromMessagesAndSchema([['user', '{question}']], schema), reach)
    const pulled = await hub.pull<StructuredPrompt>(name, reach)
    expect(pulled).toBeInstanceOf(StructuredPrompt)
    expect(pulled.schema).toEqual(schema)
  })

  it('rejects a prompt of another owner until the program trusts it explicitly', async () => {
    const trusted = hub.pull('other/prompt', reach)
    await expect(trusted).rejects.toThrow(/public prompt/i)
  })
})
