import type { AddressInfo } from 'node:net'
import { createServer, type Socket } from 'node:net'

export interface MailServer {
  readonly port: number
  /** The received mails, with their envelope. */
  readonly mails: { readonly from: string; readonly to: readonly string[]; readonly data: string }[]
  /** Answer to the sender of a mail. @default 250 */
  answer: string
  close(): Promise<void>
}

/** A mail server on this machine that keeps what it gets (RFC 5321, without extensions). */
export async function aMailServer(): Promise<MailServer> {
  const mails: MailServer['mails'][number][] = []
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    converse(socket, mails, () => mailServer.answer)
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const mailServer: MailServer = {
    port: (server.address() as AddressInfo).port,
    mails,
    answer: '250 fine',
    close() {
      for (const socket of sockets) socket.destroy()
      return new Promise<void>((done) => server.close(() => done()))
    },
  }
  return mailServer
}

function converse(socket: Socket, mails: MailServer['mails'], answerSender: () => string): void {
  const say = (line: string) => socket.write(`${line}\r\n`)
  let from = ''
  let to: string[] = []
  let data: string | undefined
  let rest = ''
  const hear = (line: string) => {
    if (data !== undefined) {
      if (line !== '.') {
        data += `${line}\r\n`
        return
      }
      mails.push({ from, to, data })
      data = undefined
      to = []
      return say('250 queued')
    }
    const verb = line.slice(0, 4).toUpperCase()
    if (verb === 'QUIT') return socket.end('221 bye\r\n')
    if (verb === 'DATA') {
      data = ''
      return say('354 go on')
    }
    if (verb === 'MAIL') {
      from = line
      return say(answerSender())
    }
    if (verb === 'RCPT') to = [...to, line]
    say('250 fine')
  }
  socket.on('error', () => {})
  socket.on('data', (chunk) => {
    const lines = (rest + chunk.toString('utf8')).split('\r\n')
    rest = lines.pop() ?? ''
    for (const line of lines) hear(line)
  })
  say('220 mail.test ready')
}
