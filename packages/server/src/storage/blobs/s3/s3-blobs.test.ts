import { createServer, type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import type { S3Settings } from '../../../config.ts'
import { findFreePort } from '../../../testing/find-free-port.ts'
import { startStoreProxy } from '../../../testing/store-proxy.ts'
import { createBucket, listVersions, s3Settings, s3Url } from '../../../testing/test-s3.ts'
import { openS3Blobs } from './open-s3.ts'

const messageOf = (opening: Promise<unknown>) =>
  opening.then(
    () => 'opened',
    (error: Error) => error.message,
  )

describe('a bucket that cannot be used', () => {
  it('is named with its address and its setting', async () => {
    const port = await findFreePort()
    expect(await messageOf(openS3Blobs(s3Settings('runs', `http://127.0.0.1:${port}`)))).toBe(
      `S3 at 127.0.0.1:${port} cannot be used: nothing is listening there. Start it, or correct the address (TOUCHSTONE_S3_ENDPOINT).`,
    )
  })

  it.skipIf(s3Url === undefined)('is named when it does not exist', async () => {
    expect(await messageOf(openS3Blobs(s3Settings('missing-bucket')))).toBe(
      `S3 at ${new URL(s3Url!).host} has no bucket "missing-bucket". Create it, or correct TOUCHSTONE_S3_BUCKET.`,
    )
  })

  it.each([
    [
      403,
      'SignatureDoesNotMatch',
      /refused the access key "test" \(SignatureDoesNotMatch\).*TOUCHSTONE_S3_SECRET_ACCESS_KEY/,
    ],
    [403, 'AccessDenied', /does not let this access key list the bucket "runs"\. Allow s3:ListBucket/],
    [301, 'PermanentRedirect', /has the bucket "runs" in another region .*TOUCHSTONE_S3_REGION/],
  ])('is named with what it refuses: %i %s', async (status, code, message) => {
    const server = createServer((_request, response) => {
      response.writeHead(status, { 'content-type': 'application/xml' })
      response.end(`<Error><Code>${code}</Code><Message>no</Message></Error>`)
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    expect(await messageOf(openS3Blobs(s3Settings('runs', `http://127.0.0.1:${port}`)))).toMatch(message)
    server.close()
  })
})

describe.skipIf(s3Url === undefined)('blobs on S3', () => {
  const closers: (() => void)[] = []
  afterEach(() => {
    for (const close of closers.splice(0)) close()
  })

  /** A proxy that answers some requests with a fault. */
  async function faulty(settings: S3Settings, faultOf: (incoming: IncomingMessage) => number | undefined) {
    const server = createServer((incoming, answer) => {
      const fault = faultOf(incoming)
      if (fault !== undefined) {
        incoming.resume()
        return void answer
          .writeHead(fault, { 'content-type': 'application/xml' })
          .end('<Error><Code>SlowDown</Code></Error>')
      }
      const { hostname, port } = new URL(settings.endpoint!)
      const { method, url: path, headers } = incoming
      incoming.pipe(
        request({ hostname, port, method, path, headers }, (found) => {
          answer.writeHead(found.statusCode!, found.headers)
          found.pipe(answer)
        }),
      )
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    closers.push(
      () => server.closeAllConnections(),
      () => server.close(),
    )
    return { ...settings, endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
  }

  it('repeats requests that the store refuses for the moment', async () => {
    let refused = 0
    const settings = await faulty(await createBucket(), ({ method }) =>
      method === 'PUT' && refused++ < 2 ? 503 : undefined,
    )
    const blobs = await openS3Blobs(settings)
    const key = await blobs.put(Buffer.from('after two refusals'))
    expect(refused).toBe(3)
    expect(await blobs.get(key)).toEqual(Buffer.from('after two refusals'))
  })

  it('reports a store that stays unavailable as a problem that passes', async () => {
    let isDown = false
    const settings = await faulty(await createBucket(), () => (isDown ? 503 : undefined))
    const blobs = await openS3Blobs(settings)
    isDown = true
    await expect(blobs.put(Buffer.from('x'))).rejects.toMatchObject({ code: 'UNAVAILABLE', retryAfterSeconds: 5 })
  })

  it('reports a store that accepts connections and does not answer, also to requests that wait for a connection', async () => {
    const proxy = await startStoreProxy(s3Url!)
    closers.push(() => void proxy.close())
    const limits = { connectMs: 300, idleMs: 300, repeatMs: 200 }
    const blobs = await openS3Blobs({ ...(await createBucket()), endpoint: proxy.url }, { limits })
    const key = await blobs.put(Buffer.from('before'))
    proxy.freeze()
    // More than the client opens connections.
    const outcomes = await Promise.allSettled(Array.from({ length: 60 }, () => blobs.get(key)))
    // A second attempt would wait as long again.
    const cause = { $metadata: { attempts: 1 } }
    const refusal = { code: 'UNAVAILABLE', message: expect.stringContaining('S3'), cause }
    expect(outcomes).toMatchObject(Array(60).fill({ status: 'rejected', reason: refusal }))
    await proxy.restore()
    expect(await blobs.get(key)).toEqual(Buffer.from('before'))
  })

  it('leaves no version of the bytes in a bucket that keeps versions', async () => {
    const settings = await createBucket({ isVersioned: true })
    const blobs = await openS3Blobs(settings, { keepMarksMs: -60_000 })
    const key = await blobs.put(Buffer.from('first'))
    await blobs.put(Buffer.from('first'))
    await blobs.touch(key)
    expect(await listVersions(settings)).toHaveLength(3)
    expect(await blobs.remove(key, Date.now() + 60_000)).toBe(true)
    expect((await listVersions(settings)).filter((name) => name.includes('/blobs/'))).toEqual([])
    expect(await blobs.removeLeftovers(Date.now() + 60_000)).toBe(1)
    expect(await listVersions(settings)).toEqual([])
  })

  it('keeps the marks of removals until puts that ran beside them have seen them', async () => {
    const blobs = await openS3Blobs(await createBucket())
    await blobs.remove(await blobs.put(Buffer.from('x')), Date.now() + 60_000)
    expect(await blobs.removeLeftovers(Date.now() + 60_000)).toBe(0)
  })

  it('ignores other objects, also below its prefix', async () => {
    const settings = await createBucket()
    const blobs = await openS3Blobs(settings)
    const other = await openS3Blobs({ ...settings, prefix: 'tests/blobs/' })
    await other.put(Buffer.from('of another program'))
    const listed = []
    for await (const some of blobs.list()) listed.push(...some)
    expect(listed).toEqual([])
  })

  it('lists more blobs than one answer of S3 holds', async () => {
    const blobs = await openS3Blobs(await createBucket(), { pageSize: 2 })
    const keys = await Promise.all(Array.from({ length: 5 }, (_, at) => blobs.put(Buffer.from([at]))))
    const pages = []
    for await (const some of blobs.list()) pages.push(some.map(({ key }) => key))
    expect(pages).toHaveLength(3)
    expect(pages.flat()).toEqual(keys.toSorted())
  })
})
