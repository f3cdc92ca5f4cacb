import { randomBytes } from 'node:crypto'

/** Address of the S3 server of the tests, which `npm test` starts; undefined without one. */
export const s3Url = process.env.TOUCHSTONE_TEST_S3_URL
if (s3Url === undefined && process.env.CI === 'true')
  throw new Error('TOUCHSTONE_TEST_S3_URL is not set; run npm test.')

export interface TestBucket {
  /** Settings of a server that uses the bucket. */
  readonly env: Readonly<Record<string, string>>
  /** Names of the objects whose names begin with a prefix. */
  list(prefix: string): Promise<string[]>
}

/** Creates an empty bucket on the S3 server of the tests, which does not check signatures. */
export async function createTestBucket(): Promise<TestBucket> {
  const bucket = `touchstone-${randomBytes(6).toString('hex')}`
  const address = `${s3Url}/${bucket}`
  const created = await fetch(address, { method: 'PUT' })
  if (!created.ok) throw new Error(await created.text())
  return {
    env: {
      TOUCHSTONE_S3_BUCKET: bucket,
      TOUCHSTONE_S3_ENDPOINT: String(s3Url),
      TOUCHSTONE_S3_ACCESS_KEY_ID: 'test',
      TOUCHSTONE_S3_SECRET_ACCESS_KEY: 'test',
    },
    async list(prefix) {
      const listed = await (await fetch(`${address}?list-type=2&prefix=${encodeURIComponent(prefix)}`)).text()
      return [...listed.matchAll(/<Key>([^<]+)<\/Key>/g)].map(([, name]) => String(name))
    },
  }
}
