import { once } from 'node:events'
import { createServer } from 'node:net'
import { expect, it } from 'vitest'
import { findFreePort } from '../testing/find-free-port.ts'
import { redirectLinks } from './redirect-links.ts'

const ask = (port: number, path: string) => fetch(`http://127.0.0.1:${port}${path}`, { redirect: 'manual' })

it('redirects a link without a port to the same page of the server', async () => {
  const port = await findFreePort()
  const stop = await redirectLinks(port, 'http://localhost:3000')
  const answer = await ask(port, '/o/one/projects/p/two?tab=runs')
  expect(answer.status).toBe(307)
  expect(answer.headers.get('location')).toBe('http://localhost:3000/o/one/projects/p/two?tab=runs')
  expect((await ask(port, '//example.org/x')).headers.get('location')).toBe('http://localhost:3000//example.org/x')
  await stop?.()
  await expect(ask(port, '/')).rejects.toThrow()
})

it('leaves a port that is taken to its program', async () => {
  const port = await findFreePort()
  const first = await redirectLinks(port, 'http://localhost:3000')
  expect(await redirectLinks(port, 'http://localhost:4000')).toBeUndefined()
  expect((await ask(port, '/')).headers.get('location')).toBe('http://localhost:3000/')
  await first?.()
})

it('does not take one address of localhost when the other belongs to another program', async () => {
  const port = await findFreePort()
  const other = createServer().listen(port, '::1')
  await once(other, 'listening')
  expect(await redirectLinks(port, 'http://localhost:3000')).toBeUndefined()
  await expect(ask(port, '/')).rejects.toThrow()
  other.close()
})
