import type { Migration } from '../migrate.ts'

/** What background jobs were under way when a process died, so that work that kills it is not tried forever. */
export const processDeaths: Migration = {
  version: 36,
  name: 'process-deaths',
  sql: `
    create table jobs_under_way (
      process uuid not null, -- of one start of the server
      job uuid not null, -- of the queue
      queue text not null,
      subject text not null, -- what the job works on, which other jobs may continue
      alive_until timestamptz not null, -- renewed by the process
      primary key (process, job)
    );
    create index jobs_under_way_by_subject on jobs_under_way (queue, subject);

    create table job_deaths (
      queue text not null,
      subject text not null,
      deaths integer not null, -- in a row, without a job that ended in between
      last_at timestamptz not null,
      primary key (queue, subject)
    )
  `,
}
