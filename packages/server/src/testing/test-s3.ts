import { randomBytes } from 'node:crypto'
import { CreateBucketCommand, ListObjectVersionsCommand, PutBucketVersioningCommand } from '@aws-sdk/client-s3'
import type { S3Settings } from '../config.ts'
import { createS3Client } from '../storage/blobs/s3/open-s3.ts'

/** Address of the S3 server of the tests, which `npm test` starts; undefined without one. */
export const s3Url = process.env.TOUCHSTONE_TEST_S3_URL
if (s3Url === undefined && process.env.CI === 'true')
  throw new Error('TOUCHSTONE_TEST_S3_URL is not set; run npm test.')

/** Settings of the server of the tests for a bucket that need not exist. */
export const s3Settings = (bucket: string, endpoint = s3Url): S3Settings => ({
  bucket,
  endpoint,
  region: undefined,
  prefix: 'tests/',
  isPathStyle: undefined,
  credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
})

/** Creates an empty bucket. @returns its settings */
export async function createBucket({ isVersioned = false } = {}): Promise<S3Settings> {
  const settings = s3Settings(`touchstone-${randomBytes(6).toString('hex')}`)
  const client = createS3Client(settings)
  await client.send(new CreateBucketCommand({ Bucket: settings.bucket }))
  if (isVersioned) {
    const VersioningConfiguration = { Status: 'Enabled' } as const
    await client.send(new PutBucketVersioningCommand({ Bucket: settings.bucket, VersioningConfiguration }))
  }
  client.destroy()
  return settings
}

/** Names of all objects of a bucket, once per version and per mark of a deletion. */
export async function listVersions(settings: S3Settings): Promise<string[]> {
  const client = createS3Client(settings)
  const found = await client.send(new ListObjectVersionsCommand({ Bucket: settings.bucket }))
  client.destroy()
  return [...(found.Versions ?? []), ...(found.DeleteMarkers ?? [])].map(({ Key }) => Key ?? '')
}
