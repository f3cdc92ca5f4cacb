import { expect, it } from 'vitest'
import { StatementQueue } from './run-statement.ts'

const refused = { code: 'RATE_LIMITED', retryAfterSeconds: 2 }

it('statements run one after the other, in the order of their arrival', async () => {
  const turns = new StatementQueue()
  const begun: string[] = []
  const enter = async (name: string) => {
    const leave = await turns.enter(name)
    begun.push(name)
    return leave
  }
  const [first, second, third] = ['a', 'b', 'c'].map(enter)
  const leaveFirst = await first!
  expect(begun).toEqual(['a'])
  leaveFirst()
  const leaveSecond = await second!
  expect(begun).toEqual(['a', 'b'])
  leaveSecond()
  ;(await third!)()
  ;(await enter('d'))()
  expect(begun).toEqual(['a', 'b', 'c', 'd'])
})

it('a statement of another workspace is next, although others came before it', async () => {
  const turns = new StatementQueue()
  const begun: string[] = []
  const run = async (tenantId: string, name: string) => {
    const leave = await turns.enter(tenantId)
    begun.push(name)
    await new Promise((resolve) => setImmediate(resolve))
    leave()
  }
  await Promise.all([run('a', 'a1'), run('a', 'a2'), run('a', 'a3'), run('b', 'b1'), run('b', 'b2')])
  expect(begun).toEqual(['a1', 'b1', 'a2', 'b2', 'a3'])
})

it('the fifth statement of a workspace is rejected until one has ended', async () => {
  const turns = new StatementQueue()
  const [running, ...waiting] = Array.from({ length: 4 }, () => turns.enter('a'))
  await expect(turns.enter('a')).rejects.toMatchObject(refused)
  ;(await running!)()
  const fifth = turns.enter('a')
  for (const one of [...waiting, fifth]) (await one)()
  ;(await turns.enter('a'))()
})

it('the sixth waiting statement is rejected, from any workspace', async () => {
  const turns = new StatementQueue()
  const entered = Array.from({ length: 6 }, (_, at) => turns.enter(`workspace ${at}`))
  await expect(turns.enter('another')).rejects.toMatchObject(refused)
  for (const one of entered) (await one)()
  ;(await turns.enter('another'))()
})
