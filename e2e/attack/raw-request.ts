import { connect } from 'node:net'

/**
 * Sends the text of a request as it is, and resolves with the whole answer. For what `fetch` does not send: other HTTP
 * versions, another Host, a header twice.
 */
export function sendRaw(url: string, lines: readonly string[], body = ''): Promise<string> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname)
    let answer = ''
    socket.setEncoding('utf8')
    socket.on('data', (chunk) => (answer += chunk))
    socket.on('error', reject)
    socket.on('close', () => resolve(answer))
    socket.write(`${[...lines, 'connection: close'].join('\r\n')}\r\n\r\n${body}`)
  })
}

/** The status of an answer of `sendRaw`. */
export function statusOf(answer: string): number {
  return Number(/^HTTP\/1\.[01] (\d{3})/.exec(answer)?.[1])
}
