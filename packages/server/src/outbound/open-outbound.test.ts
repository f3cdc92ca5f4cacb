import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Lookup } from './allowed-targets.ts'
import { LOOPBACK, parseAllowed } from './allowed-targets.ts'
import { type Outbound, type OutboundStream, openOutbound } from './open-outbound.ts'

/** A receiver on 127.0.0.1, an example of a private address. */
interface Receiver {
  readonly port: number
  readonly heard: IncomingMessage[]
  /** Number of connections that calls came on. */
  connections(): number
  /** Ends the connections that have no call under way. */
  closeIdle(): void
  close(): Promise<void>
}

let receivers: Receiver[]
let opened: Outbound[]
beforeEach(() => {
  receivers = []
  opened = []
})
afterEach(async () => {
  await Promise.all([...opened, ...receivers].map((one) => one.close()))
})

async function receive(answer: RequestListener = (_, response) => response.end('private')): Promise<Receiver> {
  const heard: IncomingMessage[] = []
  const server = createServer((request, response) => {
    heard.push(request)
    answer(request, response)
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const close = () => {
    server.closeAllConnections()
    return new Promise<void>((done) => server.close(() => done()))
  }
  const receiver = {
    port: (server.address() as AddressInfo).port,
    heard,
    connections: () => new Set(heard.map(({ socket }) => socket)).size,
    closeIdle: () => server.closeIdleConnections(),
    close,
  }
  receivers.push(receiver)
  return receiver
}

function open(allow: readonly string[] = [], lookup?: Lookup): Outbound {
  const outbound = openOutbound(allow, lookup)
  opened.push(outbound)
  return outbound
}

/** A resolver that returns its answers one after the other, and then repeats the last one. */
function resolver(...answers: readonly (readonly string[])[]): Lookup & { asked: number } {
  const lookup = ((_name, _options, done) => {
    const addresses = answers[Math.min(lookup.asked++, answers.length - 1)]!
    done(
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    )
  }) as Lookup & { asked: number }
  lookup.asked = 0
  return lookup
}

const refused = { kind: 'refused' }

describe('a call out', () => {
  it.each([
    'http://127.0.0.1',
    'http://127.0.0.1.',
    'http://127.1',
    'http://127.0.1',
    'http://2130706433', // decimal
    'http://0x7f000001', // hexadecimal
    'http://0x7f.0.0.1',
    'http://0177.0.0.1', // octal
    'http://017700000001',
    'http://0177.0x0.1',
    'http://①②⑦.⓪.⓪.①', // digits of Unicode
    'http://127。0。0。1', // full stops of Unicode
    'http://0',
    'http://0.0.0.0',
    'http://10.1.2.3',
    'http://100.64.0.1',
    'http://169.254.169.254/latest/meta-data/',
    'http://172.16.0.1',
    'http://192.168.0.1',
    'http://192.0.0.1',
    'http://198.18.0.1',
    'http://224.0.0.1',
    'http://240.0.0.1',
    'http://255.255.255.255',
    'http://[::1]',
    'http://[::]',
    'http://[::ffff:127.0.0.1]', // mapped
    'http://[::ffff:7f00:1]',
    'http://[::127.0.0.1]', // compatible
    'http://[0:0:0:0:0:ffff:a00:1]',
    'http://[64:ff9b::7f00:1]', // NAT64
    'http://[64:ff9b:1::a00:1]',
    'http://[2002:7f00:1::]', // 6to4
    'http://[2001:0:7f00:1::]', // Teredo
    'http://[2001:db8::1]',
    'http://[fe80::1]',
    'http://[fec0::1]',
    'http://[fc00::1]',
    'http://[fd12:3456::1]',
    'http://[ff02::1]',
  ])('to %s is refused, also when a server listens there', async (origin) => {
    const receiver = await receive()
    const url = new URL(origin)
    url.port = String(receiver.port)
    const outbound = open()
    expect(() => outbound.check(url.href)).toThrow(expect.objectContaining(refused))
    await expect(outbound.send({ method: 'GET', url: url.href })).rejects.toMatchObject(refused)
    expect(receiver.heard).toEqual([])
  })

  it.each(['localhost', 'LOCALHOST', 'localhost.', 'sub.localhost'])('to %s is refused', async (name) => {
    const { port, heard } = await receive()
    const resolved = open([], resolver(['127.0.0.1']))
    await expect(resolved.send({ method: 'GET', url: `http://${name}:${port}` })).rejects.toMatchObject(refused)
    expect(heard).toEqual([])
  })

  it('to localhost is refused by the name that the system resolves', async () => {
    const { port, heard } = await receive()
    await expect(open().send({ method: 'GET', url: `http://localhost:${port}` })).rejects.toMatchObject(refused)
    expect(heard).toEqual([])
  })

  it('connects to the checked addresses, even if the answer of DNS changes afterwards', async () => {
    const { port, heard } = await receive()
    // 192.0.43.8 is public and does not answer our requests, so the connection fails or times out.
    const rebinding = resolver(['192.0.43.8'], ['127.0.0.1'])
    const outbound = open([], rebinding)
    const call = { method: 'GET', url: `http://rebind.test:${port}`, timeoutMs: 500 } as const
    await expect(outbound.send(call)).rejects.toMatchObject({ kind: 'failed' })
    expect(rebinding.asked).toBe(1)
    await expect(outbound.send(call)).rejects.toMatchObject(refused)
    expect(heard).toEqual([])
  })

  it.each([[['93.184.216.34', '127.0.0.1']], [['2606:2800:220:1::1', '::1']], [['93.184.216.34', '::ffff:10.0.0.1']]])(
    'is refused when one of the addresses of its name is private: %j',
    async (addresses) => {
      const { port, heard } = await receive()
      const outbound = open([], resolver(addresses))
      await expect(outbound.send({ method: 'GET', url: `http://mixed.test:${port}` })).rejects.toMatchObject(refused)
      expect(heard).toEqual([])
    },
  )

  it.each([
    'http://user:password@example.com',
    'http://user@example.com',
    'ftp://example.com',
    'file:///etc/passwd',
    'gopher://example.com',
    'data:text/plain,x',
    'unix:/var/run/docker.sock',
    'javascript:alert(1)',
    '//example.com',
    'example.com',
    '',
  ])('to %j is refused', async (url) => {
    await expect(open().send({ method: 'GET', url })).rejects.toMatchObject(refused)
  })

  it('does not reveal the addresses of a name', async () => {
    const outbound = open([], resolver(['10.9.8.7']))
    await expect(outbound.send({ method: 'GET', url: 'http://secret.test' })).rejects.toThrow(/^secret\.test is not/)
  })
})

describe('a redirect', () => {
  const to = (location: string, status = 302): RequestListener => {
    return (request, response) => {
      if (request.url === '/start') response.writeHead(status, { location })
      response.end('arrived')
    }
  }

  it.each([
    'http://10.0.0.1/',
    'http://169.254.169.254/',
    'file:///etc/passwd',
    'http://user:pw@example.com/',
    'http://[',
  ])('to %s is refused', async (location) => {
    const { port } = await receive(to(location))
    const outbound = open(['127.0.0.1'])
    const url = `http://127.0.0.1:${port}/start`
    await expect(outbound.send({ method: 'POST', url, body: '{}' })).rejects.toMatchObject(refused)
  })

  it('to a name with a private address is refused', async () => {
    const inside = await receive()
    const outside = await receive(to(`http://inside.test:${inside.port}/`))
    const outbound = open(['outside.test'], resolver(['127.0.0.1']))
    const url = `http://outside.test:${outside.port}/start`
    await expect(outbound.send({ method: 'GET', url })).rejects.toMatchObject(refused)
    expect(outside.heard).toHaveLength(1)
    expect(inside.heard).toEqual([])
  })

  it('to another host is refused where the host must stay the same', async () => {
    const inside = await receive()
    const outside = await receive(to(`http://127.0.0.1:${inside.port}/`, 307))
    const outbound = open(['outside.test', '127.0.0.1'], resolver(['127.0.0.1']))
    const url = `http://outside.test:${outside.port}/start`
    await expect(outbound.open({ method: 'POST', url, body: '{}', sameHost: true })).rejects.toMatchObject(refused)
    expect(inside.heard).toEqual([])
  })

  it.each([
    [301, 'GET'],
    [302, 'GET'],
    [303, 'GET'],
    [307, 'POST'],
    [308, 'POST'],
  ])('of %i is followed with %s, and secrets within their origin', async (status, method) => {
    const { port, heard } = await receive(to('/end', status))
    const answer = await open(['127.0.0.1']).send({
      method: 'POST',
      url: `http://127.0.0.1:${port}/start`,
      secretHeaders: { authorization: 'Bearer s' },
      body: '{}',
    })
    expect(answer).toMatchObject({ status: 200, text: 'arrived', url: `http://127.0.0.1:${port}/end` })
    expect(heard.map((one) => [one.method, one.headers.authorization])).toEqual([
      ['POST', 'Bearer s'],
      [method, 'Bearer s'],
    ])
  })

  it('to another origin carries no secrets', async () => {
    const other = await receive()
    const first = await receive(to(`http://127.0.0.1:${other.port}/`, 307))
    await open(['127.0.0.1']).send({
      method: 'POST',
      url: `http://127.0.0.1:${first.port}/start`,
      headers: { 'content-type': 'application/json' },
      secretHeaders: { authorization: 'Bearer s', 'x-token': 't' },
      body: '{}',
    })
    expect(other.heard[0]!.headers).toMatchObject({ 'content-type': 'application/json' })
    expect(other.heard[0]!.headers).not.toHaveProperty('authorization')
    expect(other.heard[0]!.headers).not.toHaveProperty('x-token')
  })

  it('is followed at most three times', async () => {
    const { port, heard } = await receive((_, response) => response.writeHead(302, { location: '/' }).end())
    await expect(open(['127.0.0.1']).send({ method: 'GET', url: `http://127.0.0.1:${port}` })).rejects.toThrow(
      'More than 3 redirects.',
    )
    expect(heard).toHaveLength(4)
  })
})

describe('an answer', () => {
  it('that never ends is cut', async () => {
    const { port } = await receive((_, response) => {
      const more = () => response.write('x'.repeat(10_000), () => setImmediate(more))
      more()
    })
    const answer = await open(['127.0.0.1']).send({
      method: 'GET',
      url: `http://127.0.0.1:${port}`,
      maxAnswerBytes: 1_000,
    })
    expect(answer.text).toBe('x'.repeat(1_000))
  })

  it.each([
    ['never begins', () => {}],
    ['trickles', (_: unknown, response: { write(text: string): void }) => response.write('x')],
  ])('that %s is given up', async (_name, answer) => {
    const { port } = await receive(answer as RequestListener)
    const call = open(['127.0.0.1']).send({ method: 'GET', url: `http://127.0.0.1:${port}`, timeoutMs: 299.5 })
    await expect(call).rejects.toThrow('No answer within 0.3 s.')
  })

  it('of an error is an answer, and no answer is a failure whose message contains only its code', async () => {
    const { port, close } = await receive((_, response) => response.writeHead(503).end('later'))
    const outbound = open(['127.0.0.1'])
    const url = `http://127.0.0.1:${port}/hook?token=secret`
    expect(await outbound.send({ method: 'GET', url })).toMatchObject({ status: 503, text: 'later' })
    await close()
    await expect(outbound.send({ method: 'GET', url })).rejects.toMatchObject({
      kind: 'failed',
      message: `127.0.0.1:${port} could not be reached (ECONNREFUSED).`,
    })
  })
})

describe('what an operator allows', () => {
  it.each([
    [['127.0.0.0/8'], true],
    [['127.0.0.1'], true],
    [['hook.test'], true],
    [['HOOK.test'], true],
    [['10.0.0.0/8', '::1'], false],
    [['other.test'], false],
  ])('is what may be called: %j → %s', async (allow, isAllowed) => {
    const { port, heard } = await receive()
    const call = open(allow, resolver(['127.0.0.1'])).send({ method: 'GET', url: `http://hook.test:${port}` })
    if (isAllowed) await expect(call).resolves.toMatchObject({ status: 200 })
    else await expect(call).rejects.toMatchObject(refused)
    expect(heard).toHaveLength(isAllowed ? 1 : 0)
  })

  it.each([
    ['a.internal, 10.0.0.0/8,::1', ['a.internal', '10.0.0.0/8', '::1']],
    ['fd00::/8', ['fd00::/8']],
    ['10.0.0.0/33', undefined],
    ['10.0.0.0/', undefined],
    ['http://a', undefined],
    ['a,,b', undefined],
    ['*', undefined],
  ])('is written %s', (text, entries) => {
    expect(parseAllowed(text)).toEqual(entries)
  })
})

/** Targets of calls of models: what names this machine, what only looks like it, and the services of clouds. */
describe.each([
  ['off', []],
  ['on', LOOPBACK],
] as const)('a call to a model while models on this machine are %s', (setting, allow) => {
  const isOn = setting === 'on'
  const ask = (outbound: Outbound, url: string) => outbound.open({ method: 'POST', url, body: '{}', sameHost: true })

  it.each([
    'http://127.0.0.1',
    'http://127.0.0.1.',
    'http://127.1',
    'http://2130706433', // decimal
    'http://0x7f000001', // hexadecimal
    'http://0177.0.0.1', // octal
    'http://017700000001',
    'http://localhost',
    'http://localhost.',
    'http://LOCALHOST.',
    'http://sub.localhost',
    'http://ollama.test', // whose DNS answers 127.0.0.1
  ])('to %s follows the setting, because it is this machine', async (origin) => {
    const { port, heard } = await receive()
    const call = ask(open(allow, resolver(['127.0.0.1'])), `${origin}:${port}/v1`)
    if (isOn) (await call).close()
    else await expect(call).rejects.toMatchObject(refused)
    expect(heard).toHaveLength(isOn ? 1 : 0)
  })

  it.each([
    'http://[::ffff:127.0.0.1]', // mapped: no notation that people use
    'http://[::ffff:7f00:1]',
    'http://[::127.0.0.1]',
    'http://[64:ff9b::7f00:1]',
    'http://[2002:7f00:1::]',
    'http://0.0.0.0',
    'http://[::]',
    'http://10.0.0.1',
    'http://167772161', // 10.0.0.1
    'http://012.0.0.1',
    'http://192.168.1.1',
    'http://100.100.100.200', // metadata of Alibaba Cloud
    'http://169.254.169.254', // metadata of most clouds
    'http://169.254.170.2', // of containers
    'http://0xa9fea9fe',
    'http://2852039166',
    'http://0251.0376.0251.0376',
    'http://[::ffff:169.254.169.254]',
    'http://[fd00:ec2::254]',
  ])('to %s is refused', async (origin) => {
    const { port, heard } = await receive()
    await expect(ask(open(allow), `${origin}:${port}`)).rejects.toMatchObject(refused)
    expect(heard).toEqual([])
  })

  it.each([
    ['metadata.google.internal', ['169.254.169.254']],
    ['inside.test', ['10.0.0.1']],
    ['mapped.test', ['::ffff:10.0.0.1']],
    ['mapped.test', ['::ffff:127.0.0.1']],
    ['mixed.test', ['93.184.216.34', '192.168.0.1']],
    ['localhost.', ['10.0.0.1']],
    ['local.test', ['127.0.0.1', '10.0.0.1']],
  ])('to %s is refused when DNS answers %j', async (name, addresses) => {
    await expect(ask(open(allow, resolver(addresses)), `http://${name}/v1`)).rejects.toMatchObject(refused)
  })

  it.each([
    'http://127.0.0.1:PORT/',
    'http://2130706433:PORT/',
    'http://localhost.:PORT/',
    'http://[::ffff:7f00:1]:PORT/',
    'http://inside.test:PORT/',
    'http://169.254.169.254/',
    'http://10.0.0.1/',
  ])('that is redirected to %s does not leave its host', async (location) => {
    const inside = await receive()
    const target = location.replace('PORT', String(inside.port))
    const outside = await receive((_, response) => response.writeHead(307, { location: target }).end())
    const outbound = open([...allow, 'provider.test'], resolver(['127.0.0.1']))
    await expect(ask(outbound, `http://provider.test:${outside.port}/v1`)).rejects.toMatchObject(refused)
    expect([outside.heard.length, inside.heard.length]).toEqual([1, 0])
  })

  it('keeps the check of a name whose DNS changes its answer', async () => {
    const { port, heard } = await receive()
    const changing = resolver(['10.0.0.1'], ['127.0.0.1'])
    const outbound = open(allow, changing)
    await expect(ask(outbound, `http://changing.test:${port}`)).rejects.toMatchObject(refused)
    expect([changing.asked, heard.length]).toEqual([1, 0])
  })
})

describe('the connection of a streamed answer', () => {
  const ask = (outbound: Outbound, port: number, host = '127.0.0.1') =>
    outbound.open({ method: 'POST', url: `http://${host}:${port}/`, body: '{}' })

  async function read(stream: OutboundStream, stopAt = Number.POSITIVE_INFINITY): Promise<void> {
    let bytes = 0
    for await (const chunk of stream.chunks) {
      bytes += chunk.length
      if (bytes >= stopAt) return
    }
  }

  it('is used again after the answer was read, or its rest was released', async () => {
    const { port, connections } = await receive((_, response) => {
      response.write('a whole answer')
      // Pause: the rest arrives after the first part was read or released.
      setTimeout(() => response.end('and its rest'), 20)
    })
    const outbound = open(['127.0.0.1'])
    for (const stopAt of [undefined, 5, 5]) {
      const stream = await ask(outbound, port)
      await read(stream, stopAt)
      await stream.release()
    }
    expect(connections()).toBe(1)
  })

  it('ends when the rest does not', async () => {
    const closed: Promise<unknown>[] = []
    const { port, connections } = await receive((request, response) => {
      closed.push(once(request.socket, 'close'))
      response.write('a whole answer')
    })
    const outbound = open(['127.0.0.1'])
    for (let call = 0; call < 2; call++) {
      const stream = await ask(outbound, port)
      await read(stream, 5)
      await stream.release()
      await closed[call]
    }
    expect(connections()).toBe(2)
  })

  it('ends when the reader closes it', async () => {
    const { port, connections } = await receive((_, response) => response.end('an answer'))
    const outbound = open(['127.0.0.1'])
    for (let call = 0; call < 2; call++) {
      const stream = await ask(outbound, port)
      await read(stream, 1)
      stream.close()
    }
    expect(connections()).toBe(2)
  })

  it('is not used for another name of the same address, nor under other rules', async () => {
    const { port, connections, heard } = await receive()
    const lookup = resolver(['127.0.0.1'])
    const lax = open(['one.test', 'two.test'], lookup)
    for (const host of ['one.test', 'two.test', 'one.test']) {
      const stream = await ask(lax, port, host)
      await read(stream)
      await stream.release()
    }
    expect([connections(), lookup.asked]).toEqual([2, 2])
    await expect(ask(open([], lookup), port, 'one.test')).rejects.toMatchObject(refused)
    expect(heard).toHaveLength(3)
  })

  it('was checked when it was opened, so that a changed DNS answer refuses new ones only', async () => {
    const { port, connections } = await receive()
    // The server may call the first address; the name then points to another one.
    const outbound = open(['127.0.0.0/8'], resolver(['127.0.0.1'], ['10.0.0.1']))
    const first = await ask(outbound, port, 'moving.test')
    const second = ask(outbound, port, 'moving.test') // while the first connection is in use
    await expect(second).rejects.toMatchObject(refused)
    await read(first)
    await first.release()
    await read(await ask(outbound, port, 'moving.test'))
    expect(connections()).toBe(1)
  })

  it('that was ended while it waited costs no call', async () => {
    const { port, connections, heard, closeIdle } = await receive()
    const outbound = open(['127.0.0.1'])
    const first = await ask(outbound, port)
    await read(first)
    await first.release()
    // The end is on its way when the next call begins.
    closeIdle()
    const stream = await ask(outbound, port)
    await read(stream)
    expect([stream.status, connections(), heard.length]).toEqual([200, 2, 2])
  })

  it('that ends just when a call begins costs no call', async () => {
    const { port, heard } = await receive((request, response) => {
      if (heard.length === 2) request.socket.destroy()
      else response.end('an answer')
    })
    const outbound = open(['127.0.0.1'])
    const first = await ask(outbound, port)
    await read(first)
    await first.release()
    const second = await ask(outbound, port)
    expect([second.status, heard.length]).toEqual([200, 3])
    second.close()
  })

  it('that ends after the call was received is a failure, and no second call', async () => {
    const { port, heard } = await receive((request, response) => {
      if (heard.length === 1) response.end('first')
      // Pause: longer than the time in which a kept connection may be repeated.
      else setTimeout(() => request.socket.destroy(), 2_100)
    })
    const outbound = open(['127.0.0.1'])
    const first = await ask(outbound, port)
    await read(first)
    await first.release()
    await expect(ask(outbound, port)).rejects.toMatchObject({ kind: 'failed', reason: 'ended' })
    expect(heard).toHaveLength(2)
  })
})
