import { connect } from 'node:net'

/** Answers that a server gave on one connection, and whether it closed the connection. */
export interface Conversation {
  readonly statuses: readonly number[]
  readonly text: string
  readonly isClosed: boolean
}

/**
 * Writes bytes to a connection and collects what comes back.
 *
 * @param until  ends the wait once the answers so far are enough; without it, the server has to close the connection
 */
export function converse(
  serverUrl: string,
  bytes: string | Buffer,
  until: (statuses: readonly number[]) => boolean = () => false,
): Promise<Conversation> {
  const { hostname, port } = new URL(serverUrl)
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname)
    const chunks: Buffer[] = []
    const finish = (isClosed: boolean) => {
      const text = Buffer.concat(chunks).toString('latin1')
      resolve({ statuses: statusesOf(text), text, isClosed })
      socket.destroy()
    }
    socket.on('data', (chunk) => {
      chunks.push(chunk)
      if (until(statusesOf(Buffer.concat(chunks).toString('latin1')))) finish(false)
    })
    socket.once('close', () => finish(true))
    // A reset shows as a close.
    socket.on('error', () => undefined)
    socket.write(bytes)
  })
}

const statusesOf = (text: string): number[] =>
  [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status))
