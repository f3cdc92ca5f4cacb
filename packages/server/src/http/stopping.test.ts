import { connect, type Socket } from 'node:net'
import { beforeAll, it } from 'vitest'
import { type StartedApp, startApp } from '../testing/start-app.ts'

function connected(url: string): Promise<Socket> {
  const { port, hostname } = new URL(url)
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname, () => resolve(socket))
    socket.on('error', () => {})
  })
}

let app: StartedApp
beforeAll(async () => {
  app = await startApp()
})

it('stops although one client sends nothing and another does not read its response', async () => {
  const silent = await connected(app.url)
  const unread = await connected(app.url)
  unread.pause()
  unread.write('GET /openapi.json HTTP/1.1\r\nhost: localhost\r\n\r\n'.repeat(200))
  await (await app.fetch('/ok')).text()
  await app.close()
  silent.destroy()
  unread.destroy()
})
