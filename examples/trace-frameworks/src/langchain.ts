import { RunnableLambda } from '@langchain/core/runnables'
import { ChatOpenAI } from '@langchain/openai'
import { traceable } from '@touchstone/sdk/traceable'

const look = traceable(async (city: string) => `It is grey in ${city}.`, { name: 'look' })

const chain = RunnableLambda.from(look).pipe(new ChatOpenAI({ model: process.env.MODEL ?? 'gpt-4.1-mini' }))

const answer = traceable(async (city: string) => (await chain.invoke(city)).content, { name: 'answer' })
console.log(await answer('Bern'))
