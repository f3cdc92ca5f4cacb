import { createHash } from 'node:crypto'
import { connect, type Socket } from 'node:net'
import { OutboundError, resolveAllowed } from '../../../outbound/allowed-targets.ts'
import { type Notice, toHeadline } from '../notice.ts'
import { SEND_MS, type Sender } from './kind.ts'
import { type SendResult, toResponseText } from './result.ts'

/** Sends a mail through the mail server of this installation. */
export const sendMail: Sender<'email'> = async (
  { config: { smtpUrl, mailFrom, outboundAllow } },
  { config },
  sending,
) => {
  if (smtpUrl === undefined || mailFrom === undefined) return toFailure('failed', NOT_SET_UP)
  const server = new URL(smtpUrl)
  const timeUp = AbortSignal.timeout(SEND_MS)
  const signal = AbortSignal.any([timeUp, sending.signal])
  try {
    const sent = await sendThrough(server, outboundAllow, toMessage(mailFrom, config.to, sending), signal)
    const refused = sent.rejected.length > 0 ? ` Refused: ${sent.rejected.join(', ')}` : ''
    return { outcome: 'delivered', status: 250, text: toResponseText(sent.response + refused), error: null }
  } catch (error) {
    if (timeUp.aborted) return toFailure('retry', `The mail server did not take the mail within ${SEND_MS / 1000} s.`)
    return toResult(error, server.hostname)
  }
}

const NOT_SET_UP = 'This server cannot send email. Its operator sets TOUCHSTONE_SMTP_URL and TOUCHSTONE_MAIL_FROM.'

const toFailure = (outcome: SendResult['outcome'], error: string): SendResult => ({
  outcome,
  status: null,
  text: null,
  error,
})

interface Message {
  readonly from: string
  readonly to: string[]
  readonly subject: string
  readonly text: string
  readonly messageId: string
  readonly references: string
  readonly headers: Record<string, string>
}

async function sendThrough(server: URL, allow: readonly string[], message: Message, signal: AbortSignal) {
  const isSecure = server.protocol === 'smtps:'
  const host = server.hostname.replaceAll(/^\[|\]$/g, '')
  const port = Number(server.port || (isSecure ? 465 : 587))
  const { createTransport } = await import('nodemailer')
  const address = await resolveAllowed(allow, host)
  const socket = await openSocket(address, port, signal)
  const end = () => socket.destroy()
  signal.addEventListener('abort', end, { once: true })
  try {
    const user = decodeURIComponent(server.username)
    const transport = createTransport({
      host,
      port,
      secure: isSecure,
      // A password is never sent in the clear.
      requireTLS: !isSecure && user !== '',
      ...(user !== '' && { auth: { user, pass: decodeURIComponent(server.password) } }),
      disableFileAccess: true,
      disableUrlAccess: true,
      getSocket: (_options, done) => done(null, { connection: socket }),
    })
    return await transport.sendMail(message)
  } finally {
    signal.removeEventListener('abort', end)
    socket.destroy()
  }
}

function openSocket(host: string, port: number, signal: AbortSignal): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, signal })
    socket.once('error', reject)
    socket.once('connect', () => {
      socket.off('error', reject)
      socket.on('error', () => {}) // the transport reports it
      resolve(socket)
    })
  })
}

/** Mails of one delivery have one id, so that a repetition is shown once; those of one incident are one conversation. */
function toMessage(from: string, to: readonly string[], { id, notice }: { id: string; notice: Notice }): Message {
  const incident = createHash('sha256').update(notice.incident).digest('hex').slice(0, 32)
  return {
    from,
    to: [...to],
    subject: toHeadline(notice),
    text: writeMailText(notice),
    messageId: `<${id}@touchstone>`,
    references: `<incident-${incident}@touchstone>`,
    headers: { 'Auto-Submitted': 'auto-generated' },
  }
}

export function writeMailText({ text, facts, links, at }: Notice): string {
  const parts = [
    text,
    facts.map(({ label, value }) => `${label}: ${value}`).join('\n'),
    links.map(({ label, url }) => `${label}: ${url}`).join('\n'),
    `Sent by Touchstone · ${at}`,
  ]
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`
}

function toResult(error: unknown, host: string): SendResult {
  if (error instanceof OutboundError) return toFailure(error.kind === 'failed' ? 'retry' : 'failed', error.message)
  const { responseCode, response, code } = error as { responseCode?: unknown; response?: unknown; code?: unknown }
  if (typeof responseCode !== 'number') {
    return toFailure(
      'retry',
      `The mail server ${host} could not be reached (${typeof code === 'string' ? code : 'no code'}).`,
    )
  }
  return {
    outcome: responseCode >= 500 ? 'failed' : 'retry',
    status: responseCode,
    text: typeof response === 'string' ? toResponseText(response) : null,
    error: `The mail server answered ${responseCode}.`,
  }
}
