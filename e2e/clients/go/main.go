// Sends the runs that the task names through the public Go client, asks for them, and prints what came back.
package main

import (
	"context"
	"encoding/json"
	"log"
	"os"

	"github.com/langchain-ai/langsmith-go"
	"github.com/langchain-ai/langsmith-go/option"
)

type run struct {
	ID          string         `json:"id"`
	TraceID     string         `json:"trace_id"`
	ParentRunID string         `json:"parent_run_id"`
	DottedOrder string         `json:"dotted_order"`
	Name        string         `json:"name"`
	RunType     string         `json:"run_type"`
	StartTime   string         `json:"start_time"`
	EndTime     string         `json:"end_time"`
	SessionName string         `json:"session_name"`
	Inputs      map[string]any `json:"inputs"`
	Outputs     map[string]any `json:"outputs"`
	Extra       map[string]any `json:"extra"`
	Tags        []string       `json:"tags"`
}

type task struct {
	Endpoint string `json:"endpoint"`
	Runs     []run  `json:"runs"`
	Project  string `json:"project"`
	Filter   string `json:"filter"`
}

type answer struct {
	Pages    [][]langsmith.RunQueryResponseRun `json:"pages"`
	Filtered []string                          `json:"filtered"`
	Trace    []string                          `json:"trace"`
	Refused  bool                              `json:"refused"`
}

func main() {
	var given task
	must(json.NewDecoder(os.Stdin).Decode(&given))
	ctx := context.Background()
	client := langsmith.NewClient(option.WithBaseURL(given.Endpoint), option.WithAPIKey("any"), option.WithMaxRetries(0))

	ingest(ctx, client, given.Runs)
	project := projectID(ctx, client, given.Project)

	report := answer{Pages: pages(ctx, client, project)}
	report.Filtered = idsOf(query(ctx, client, langsmith.RunQueryParams{
		Session: langsmith.F([]string{project}),
		Filter:  langsmith.F(given.Filter),
	}))
	report.Trace = idsOf(query(ctx, client, langsmith.RunQueryParams{
		Trace: langsmith.F(given.Runs[0].TraceID),
		Order: langsmith.F(langsmith.RunQueryParamsOrderAsc),
	}))
	_, err := client.Runs.Query(ctx, langsmith.RunQueryParams{Filter: langsmith.F("eq(name")})
	report.Refused = err != nil
	must(json.NewEncoder(os.Stdout).Encode(report))
}

func ingest(ctx context.Context, client *langsmith.Client, runs []run) {
	post := make([]langsmith.RunParam, 0, len(runs))
	for _, one := range runs {
		param := langsmith.RunParam{
			ID:          langsmith.F(one.ID),
			TraceID:     langsmith.F(one.TraceID),
			DottedOrder: langsmith.F(one.DottedOrder),
			Name:        langsmith.F(one.Name),
			RunType:     langsmith.F(langsmith.RunRunType(one.RunType)),
			StartTime:   langsmith.F(one.StartTime),
			EndTime:     langsmith.F(one.EndTime),
			SessionName: langsmith.F(one.SessionName),
			Inputs:      langsmith.F(one.Inputs),
			Outputs:     langsmith.F(one.Outputs),
			Extra:       langsmith.F(one.Extra),
			Tags:        langsmith.F(one.Tags),
		}
		if one.ParentRunID != "" {
			param.ParentRunID = langsmith.F(one.ParentRunID)
		}
		post = append(post, param)
	}
	_, err := client.Runs.IngestBatch(ctx, langsmith.RunIngestBatchParams{Post: langsmith.F(post)})
	must(err)
}

func projectID(ctx context.Context, client *langsmith.Client, name string) string {
	found, err := client.Sessions.List(ctx, langsmith.SessionListParams{Name: langsmith.F(name)})
	must(err)
	if len(found.Items) != 1 {
		log.Fatalf("%d projects are named %s", len(found.Items), name)
	}
	return found.Items[0].ID
}

// Two runs at a time, oldest first, as the cursor leads.
func pages(ctx context.Context, client *langsmith.Client, project string) [][]langsmith.RunQueryResponseRun {
	var all [][]langsmith.RunQueryResponseRun
	params := langsmith.RunQueryParams{
		Session: langsmith.F([]string{project}),
		Order:   langsmith.F(langsmith.RunQueryParamsOrderAsc),
		Limit:   langsmith.F(int64(2)),
	}
	for {
		page, err := client.Runs.Query(ctx, params)
		must(err)
		all = append(all, page.Runs)
		if page.Cursors["next"] == "" {
			return all
		}
		params.Cursor = langsmith.F(page.Cursors["next"])
	}
}

func query(ctx context.Context, client *langsmith.Client, params langsmith.RunQueryParams) []langsmith.RunQueryResponseRun {
	page, err := client.Runs.Query(ctx, params)
	must(err)
	return page.Runs
}

func idsOf(runs []langsmith.RunQueryResponseRun) []string {
	ids := []string{}
	for _, one := range runs {
		ids = append(ids, one.ID)
	}
	return ids
}

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
