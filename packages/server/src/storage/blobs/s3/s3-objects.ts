import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import {
  CopyObjectCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  ListObjectVersionsCommand,
  PutObjectCommand,
  type S3Client,
} from '@aws-sdk/client-s3'
import { type ByteRange, type OpenBlob, resolveRange, UnsatisfiableRangeError } from '../port.ts'

/** User metadata of an object; S3 stores it in headers. */
export type Metadata = Readonly<Record<string, string>>

export interface ObjectHead {
  readonly size: number
  readonly metadata: Metadata
  /** Milliseconds since 1970 by the clock of S3, in whole seconds. */
  readonly modifiedMs: number
  /** Whether the bucket keeps earlier versions of the object. */
  readonly isVersioned: boolean
}

export interface ListedObject {
  readonly name: string
  readonly size: number
  readonly modifiedMs: number
}

/** Requests to one bucket, by names of objects. Objects that do not exist are `undefined` or `false`. */
export class S3Objects {
  constructor(
    private readonly client: S3Client,
    readonly bucket: string,
    /** Objects in one answer to a list. */
    private readonly pageSize = 1_000,
  ) {}

  async put(name: string, bytes: Uint8Array, metadata: Metadata): Promise<void> {
    await this.client.send(
      new PutObjectCommand({
        Bucket: this.bucket,
        Key: name,
        Body: bytes,
        ContentLength: bytes.byteLength,
        // Every S3 store compares it, other than the newer checksums.
        ContentMD5: createHash('md5').update(bytes).digest('base64'),
        ContentType: 'application/octet-stream',
        Metadata: { ...metadata },
      }),
    )
  }

  /** Replaces the metadata of an object and its time, without sending its bytes. */
  async replaceMetadata(name: string, metadata: Metadata): Promise<boolean> {
    const copy = new CopyObjectCommand({
      Bucket: this.bucket,
      Key: name,
      CopySource: [this.bucket, ...name.split('/')].map(encodeURIComponent).join('/'),
      ContentType: 'application/octet-stream',
      MetadataDirective: 'REPLACE',
      Metadata: { ...metadata },
    })
    return (await unlessMissing(this.client.send(copy))) !== undefined
  }

  async head(name: string): Promise<ObjectHead | undefined> {
    const found = await unlessMissing(this.client.send(new HeadObjectCommand({ Bucket: this.bucket, Key: name })))
    return (
      found && {
        size: found.ContentLength ?? 0,
        metadata: found.Metadata ?? {},
        modifiedMs: found.LastModified?.getTime() ?? 0,
        isVersioned: found.VersionId !== undefined,
      }
    )
  }

  /** @throws UnsatisfiableRangeError when no byte of the object is in the range */
  async open(name: string, range: ByteRange | undefined): Promise<OpenBlob | undefined> {
    const get = new GetObjectCommand({ Bucket: this.bucket, Key: name, ...(range && { Range: printRange(range) }) })
    try {
      const found = await unlessMissing(this.client.send(get))
      return found && toOpenBlob(found, range)
    } catch (error) {
      if (!isNamed(error, 'InvalidRange')) throw error
      const head = await this.head(name)
      if (head === undefined) return undefined
      throw new UnsatisfiableRangeError(head.size)
    }
  }

  /** Objects whose names begin with a prefix, in pages, in ascending order of names. */
  async *list(prefix: string): AsyncGenerator<readonly ListedObject[]> {
    for (let token: string | undefined; ; ) {
      const page = await this.client.send(
        new ListObjectsV2Command({
          Bucket: this.bucket,
          Prefix: prefix,
          MaxKeys: this.pageSize,
          ...(token !== undefined && { ContinuationToken: token }),
        }),
      )
      yield (page.Contents ?? []).map(({ Key = '', Size = 0, LastModified }) => ({
        name: Key,
        size: Size,
        modifiedMs: LastModified?.getTime() ?? 0,
      }))
      token = page.NextContinuationToken
      if (!page.IsTruncated || token === undefined) return
    }
  }

  /** Removes an object; in a bucket with versions, every version of it, so that no copy of its bytes stays. */
  async remove(name: string, isVersioned: boolean): Promise<void> {
    if (!isVersioned) {
      await this.client.send(new DeleteObjectCommand({ Bucket: this.bucket, Key: name }))
      return
    }
    for await (const versionId of this.#listVersions(name)) {
      await this.client.send(new DeleteObjectCommand({ Bucket: this.bucket, Key: name, VersionId: versionId }))
    }
  }

  /** Ids of all versions of an object, and of the marks of its deletions. */
  async *#listVersions(name: string): AsyncGenerator<string> {
    for (let next: { KeyMarker: string; VersionIdMarker?: string } | undefined; ; ) {
      const page = await this.client.send(new ListObjectVersionsCommand({ Bucket: this.bucket, Prefix: name, ...next }))
      for (const { Key, VersionId } of [...(page.Versions ?? []), ...(page.DeleteMarkers ?? [])]) {
        if (Key === name && VersionId !== undefined) yield VersionId
      }
      if (!page.IsTruncated || page.NextKeyMarker === undefined) return
      next = {
        KeyMarker: page.NextKeyMarker,
        ...(page.NextVersionIdMarker !== undefined && { VersionIdMarker: page.NextVersionIdMarker }),
      }
    }
  }
}

function printRange(range: ByteRange): string {
  return 'lastBytes' in range ? `bytes=-${range.lastBytes}` : `bytes=${range.first}-${range.last ?? ''}`
}

interface FoundObject {
  readonly Body?: unknown
  readonly ContentLength?: number | undefined
  /** `bytes 0-9/100` in an answer to a range. */
  readonly ContentRange?: string | undefined
}

/** A store that ignores ranges answers with the whole object. */
function toOpenBlob(found: FoundObject, range: ByteRange | undefined): OpenBlob {
  if (!(found.Body instanceof Readable)) throw new Error('S3 sent an answer without a body.')
  const partial = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(found.ContentRange ?? '')
  const [first, last, size] = partial === null ? [] : partial.slice(1).map(Number)
  if (first !== undefined && last !== undefined && size !== undefined) return { size, first, last, bytes: found.Body }
  const length = found.ContentLength ?? 0
  // Ranges of empty objects are answered without a range by some stores.
  if (range !== undefined && length === 0) resolveRange(range, length)
  return { size: length, first: 0, last: length - 1, bytes: found.Body }
}

const isNamed = (error: unknown, name: string) => error instanceof Error && error.name === name

async function unlessMissing<Result>(work: Promise<Result>): Promise<Result | undefined> {
  return work.catch((error: unknown) => {
    // An answer to HEAD has no body and therefore no code.
    if (isNamed(error, 'NoSuchKey') || isNamed(error, 'NotFound')) return undefined
    throw error
  })
}
