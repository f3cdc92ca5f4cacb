import { connect, type Socket } from 'node:net'
import { it } from 'vitest'
import { startApp } from '../testing/start-app.ts'

function connected(url: string): Promise<Socket> {
  const { port, hostname } = new URL(url)
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname, () => resolve(socket))
    socket.on('error', () => {})
  })
}

it('stops although one client sends nothing and another does not read its answer', async () => {
  const app = await startApp()
  const silent = await connected(app.url)
  const deaf = await connected(app.url)
  deaf.pause()
  deaf.write('GET /openapi.json HTTP/1.1\r\nhost: localhost\r\n\r\n'.repeat(200))
  await (await app.fetch('/ok')).text()
  await app.close()
  silent.destroy()
  deaf.destroy()
}, 15_000)
