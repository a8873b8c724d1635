// @ts-nocheck
// Generated from contract/grade-result.schema.json by npm run generate. Do not edit.
"use strict";
export const validate = validate20;
const schema31 = {"$schema":"https://json-schema.org/draft/2020-12/schema","title":"Result of plantstore grade --json","type":"object","properties":{"plantStoreGrading":{"type":"string","pattern":"^1\\.[0-9]+\\.[0-9]+$"},"environment":{"type":"object","properties":{"plantStore":{"type":"string"},"commit":{"type":["string","null"]},"node":{"type":"string"},"platform":{"type":"string"},"cpu":{"type":"string"},"cores":{"type":"integer","minimum":1},"memory":{"type":"integer","minimum":0}},"required":["plantStore","commit","node","platform","cpu","cores","memory"]},"service":{"type":"object","properties":{"name":{"type":"string"},"version":{"type":"string"},"description":{"type":"string","pattern":"^[0-9a-f]{64}$"}},"required":["name","version","description"]},"tester":{"type":"object","properties":{"name":{"type":"string"},"version":{"type":["string","null"]},"command":{"type":"array","items":{"type":"string"}},"findings":{"type":"string"}},"required":["name","version","command","findings"]},"options":{"type":"object","properties":{"variants":{"type":"integer","minimum":0},"plants":{"type":"string"},"controls":{"type":"integer","minimum":1},"seeds":{"type":"integer","minimum":1,"maximum":100},"order":{"type":"integer","minimum":0},"jobs":{"type":"integer","minimum":1},"timeout":{"type":"integer","minimum":0},"maxRequests":{"type":"integer","minimum":0},"maxReport":{"type":"integer","minimum":1},"maxOutput":{"type":"integer","minimum":0},"output":{"type":"string"}},"required":["controls","seeds","order","jobs","timeout","maxOutput","output"]},"startedAt":{"type":"string","format":"date-time"},"endedAt":{"type":"string","format":"date-time"},"halt":{"enum":["clean service fails","no report","floor","stopped",null]},"planted":{"type":"integer","minimum":0},"tiers":{"type":"array","items":{"type":"object","properties":{"tier":{"type":"string"},"schema":{"$ref":"#/$defs/cell"},"prose":{"$ref":"#/$defs/cell"}},"required":["tier","schema","prose"]}},"defects":{"type":"array","items":{"$ref":"#/$defs/defect"}},"falseAlarms":{"type":"array","items":{"type":"string"}},"groundless":{"type":"array","items":{"type":"string"}},"short":{"type":"array","items":{"type":"string"}},"reached":{"type":"array","items":{"type":"string"}},"runs":{"type":"array","items":{"$ref":"#/$defs/run"}}},"required":["plantStoreGrading","environment","service","tester","options","startedAt","endedAt","halt","planted","tiers","defects","falseAlarms","groundless","short","reached","runs"],"$defs":{"cell":{"type":"object","properties":{"planted":{"type":"integer","minimum":0},"triggered":{"type":"integer","minimum":0},"noticed":{"type":"integer","minimum":0},"found":{"type":"integer","minimum":0},"named":{"type":"integer","minimum":0}},"required":["planted","triggered","noticed","found","named"]},"rate":{"type":"object","properties":{"runs":{"type":"integer","minimum":0,"maximum":100},"of":{"type":"integer","minimum":0,"maximum":100},"rounds":{"type":"array","items":{"type":"integer","minimum":1}},"interval":{"type":"array","items":{"type":"number","minimum":0,"maximum":1},"minItems":2,"maxItems":2},"chance":{"type":"number","minimum":0,"maximum":1},"isFound":{"type":"boolean"}},"required":["runs","of","rounds","interval","chance","isFound"]},"finding":{"type":"object","properties":{"text":{"type":"string"},"operation":{"type":"string"},"code":{"type":"integer"}},"required":["text"]},"first":{"type":"object","properties":{"requests":{"type":"integer","minimum":1},"milliseconds":{"type":"number","minimum":0}},"required":["requests","milliseconds"]},"counts":{"type":"object","properties":{"candidates":{"type":"integer","minimum":0},"triggered":{"type":"integer","minimum":0},"requests":{"type":"integer","minimum":0},"succeeded":{"type":"integer","minimum":0},"credentials":{"type":"integer","minimum":0},"first":{"$ref":"#/$defs/first"},"reached":{"type":"array","items":{"type":"string"}}},"required":["candidates","triggered","requests","succeeded","credentials","reached"]},"defect":{"type":"object","properties":{"name":{"type":"string"},"tier":{"type":"string"},"ruleIn":{"enum":["schema","prose"]},"operation":{"type":"string"},"does":{"type":"string"},"outcome":{"enum":["not judged","not triggered","missed","noticed","found"]},"triggered":{"type":"integer","minimum":0},"exposure":{"$ref":"#/$defs/first"},"noticed":{"$ref":"#/$defs/rate"},"named":{"$ref":"#/$defs/rate"},"findings":{"type":"array","items":{"$ref":"#/$defs/finding"}}},"required":["name","tier","ruleIn","operation","does","outcome","triggered","noticed","named","findings"]},"run":{"type":"object","properties":{"name":{"type":"string"},"defect":{"type":["string","null"]},"round":{"type":"integer","minimum":1},"seed":{"type":"integer","minimum":1},"startedAt":{"type":"string","format":"date-time"},"milliseconds":{"type":"number","minimum":0},"testerMilliseconds":{"type":"number","minimum":0},"exitCode":{"type":["integer","null"]},"signal":{"type":["string","null"]},"stoppedBy":{"enum":["timeout","max-requests"]},"findings":{"type":"array","items":{"$ref":"#/$defs/finding"}},"unread":{"type":"string"},"counts":{"$ref":"#/$defs/counts"},"output":{"type":"string"}},"required":["name","defect","round","seed","startedAt","milliseconds","testerMilliseconds","exitCode","signal","findings","counts","output"]}}};
const schema32 = {"type":"object","properties":{"planted":{"type":"integer","minimum":0},"triggered":{"type":"integer","minimum":0},"noticed":{"type":"integer","minimum":0},"found":{"type":"integer","minimum":0},"named":{"type":"integer","minimum":0}},"required":["planted","triggered","noticed","found","named"]};
const pattern4 = new RegExp("^1\\.[0-9]+\\.[0-9]+$", "u");
const pattern5 = new RegExp("^[0-9a-f]{64}$", "u");
const formats0 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const schema34 = {"type":"object","properties":{"name":{"type":"string"},"tier":{"type":"string"},"ruleIn":{"enum":["schema","prose"]},"operation":{"type":"string"},"does":{"type":"string"},"outcome":{"enum":["not judged","not triggered","missed","noticed","found"]},"triggered":{"type":"integer","minimum":0},"exposure":{"$ref":"#/$defs/first"},"noticed":{"$ref":"#/$defs/rate"},"named":{"$ref":"#/$defs/rate"},"findings":{"type":"array","items":{"$ref":"#/$defs/finding"}}},"required":["name","tier","ruleIn","operation","does","outcome","triggered","noticed","named","findings"]};
const schema35 = {"type":"object","properties":{"requests":{"type":"integer","minimum":1},"milliseconds":{"type":"number","minimum":0}},"required":["requests","milliseconds"]};
const schema36 = {"type":"object","properties":{"runs":{"type":"integer","minimum":0,"maximum":100},"of":{"type":"integer","minimum":0,"maximum":100},"rounds":{"type":"array","items":{"type":"integer","minimum":1}},"interval":{"type":"array","items":{"type":"number","minimum":0,"maximum":1},"minItems":2,"maxItems":2},"chance":{"type":"number","minimum":0,"maximum":1},"isFound":{"type":"boolean"}},"required":["runs","of","rounds","interval","chance","isFound"]};
const schema38 = {"type":"object","properties":{"text":{"type":"string"},"operation":{"type":"string"},"code":{"type":"integer"}},"required":["text"]};

function validate21(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
let vErrors = null;
let errors = 0;
const evaluated0 = validate21.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if(((((((((((data.name === undefined) && (missing0 = "name")) || ((data.tier === undefined) && (missing0 = "tier"))) || ((data.ruleIn === undefined) && (missing0 = "ruleIn"))) || ((data.operation === undefined) && (missing0 = "operation"))) || ((data.does === undefined) && (missing0 = "does"))) || ((data.outcome === undefined) && (missing0 = "outcome"))) || ((data.triggered === undefined) && (missing0 = "triggered"))) || ((data.noticed === undefined) && (missing0 = "noticed"))) || ((data.named === undefined) && (missing0 = "named"))) || ((data.findings === undefined) && (missing0 = "findings"))){
validate21.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0},message:"must have required property '"+missing0+"'"}];
return false;
}
else {
if(data.name !== undefined){
const _errs1 = errors;
if(typeof data.name !== "string"){
validate21.errors = [{instancePath:instancePath+"/name",schemaPath:"#/properties/name/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid0 = _errs1 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.tier !== undefined){
const _errs3 = errors;
if(typeof data.tier !== "string"){
validate21.errors = [{instancePath:instancePath+"/tier",schemaPath:"#/properties/tier/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid0 = _errs3 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.ruleIn !== undefined){
let data2 = data.ruleIn;
const _errs5 = errors;
if(!((data2 === "schema") || (data2 === "prose"))){
validate21.errors = [{instancePath:instancePath+"/ruleIn",schemaPath:"#/properties/ruleIn/enum",keyword:"enum",params:{allowedValues: schema34.properties.ruleIn.enum},message:"must be equal to one of the allowed values"}];
return false;
}
var valid0 = _errs5 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.operation !== undefined){
const _errs6 = errors;
if(typeof data.operation !== "string"){
validate21.errors = [{instancePath:instancePath+"/operation",schemaPath:"#/properties/operation/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid0 = _errs6 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.does !== undefined){
const _errs8 = errors;
if(typeof data.does !== "string"){
validate21.errors = [{instancePath:instancePath+"/does",schemaPath:"#/properties/does/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid0 = _errs8 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.outcome !== undefined){
let data5 = data.outcome;
const _errs10 = errors;
if(!(((((data5 === "not judged") || (data5 === "not triggered")) || (data5 === "missed")) || (data5 === "noticed")) || (data5 === "found"))){
validate21.errors = [{instancePath:instancePath+"/outcome",schemaPath:"#/properties/outcome/enum",keyword:"enum",params:{allowedValues: schema34.properties.outcome.enum},message:"must be equal to one of the allowed values"}];
return false;
}
var valid0 = _errs10 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.triggered !== undefined){
let data6 = data.triggered;
const _errs11 = errors;
if(!(((typeof data6 == "number") && (!(data6 % 1) && !isNaN(data6))) && (isFinite(data6)))){
validate21.errors = [{instancePath:instancePath+"/triggered",schemaPath:"#/properties/triggered/type",keyword:"type",params:{type: "integer"},message:"must be integer"}];
return false;
}
if(errors === _errs11){
if((typeof data6 == "number") && (isFinite(data6))){
if(data6 < 0 || isNaN(data6)){
validate21.errors = [{instancePath:instancePath+"/triggered",schemaPath:"#/properties/triggered/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"}];
return false;
}
}
}
var valid0 = _errs11 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.exposure !== undefined){
let data7 = data.exposure;
const _errs13 = errors;
const _errs14 = errors;
if(errors === _errs14){
if(data7 && typeof data7 == "object" && !Array.isArray(data7)){
let missing1;
if(((data7.requests === undefined) && (missing1 = "requests")) || ((data7.milliseconds === undefined) && (missing1 = "milliseconds"))){
validate21.errors = [{instancePath:instancePath+"/exposure",schemaPath:"#/$defs/first/required",keyword:"required",params:{missingProperty: missing1},message:"must have required property '"+missing1+"'"}];
return false;
}
else {
if(data7.requests !== undefined){
let data8 = data7.requests;
const _errs16 = errors;
if(!(((typeof data8 == "number") && (!(data8 % 1) && !isNaN(data8))) && (isFinite(data8)))){
validate21.errors = [{instancePath:instancePath+"/exposure/requests",schemaPath:"#/$defs/first/properties/requests/type",keyword:"type",params:{type: "integer"},message:"must be integer"}];
return false;
}
if(errors === _errs16){
if((typeof data8 == "number") && (isFinite(data8))){
if(data8 < 1 || isNaN(data8)){
validate21.errors = [{instancePath:instancePath+"/exposure/requests",schemaPath:"#/$defs/first/properties/requests/minimum",keyword:"minimum",params:{comparison: ">=", limit: 1},message:"must be >= 1"}];
return false;
}
}
}
var valid2 = _errs16 === errors;
}
else {
var valid2 = true;
}
if(valid2){
if(data7.milliseconds !== undefined){
let data9 = data7.milliseconds;
const _errs18 = errors;
if(errors === _errs18){
if((typeof data9 == "number") && (isFinite(data9))){
if(data9 < 0 || isNaN(data9)){
validate21.errors = [{instancePath:instancePath+"/exposure/milliseconds",schemaPath:"#/$defs/first/properties/milliseconds/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"}];
return false;
}
}
else {
validate21.errors = [{instancePath:instancePath+"/exposure/milliseconds",schemaPath:"#/$defs/first/properties/milliseconds/type",keyword:"type",params:{type: "number"},message:"must be number"}];
return false;
}
}
var valid2 = _errs18 === errors;
}
else {
var valid2 = true;
}
}
}
}
else {
validate21.errors = [{instancePath:instancePath+"/exposure",schemaPath:"#/$defs/first/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
var valid0 = _errs13 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.noticed !== undefined){
let data10 = data.noticed;
const _errs20 = errors;
const _errs21 = errors;
if(errors === _errs21){
if(data10 && typeof data10 == "object" && !Array.isArray(data10)){
let missing2;
if(((((((data10.runs === undefined) && (missing2 = "runs")) || ((data10.of === undefined) && (missing2 = "of"))) || ((data10.rounds === undefined) && (missing2 = "rounds"))) || ((data10.interval === undefined) && (missing2 = "interval"))) || ((data10.chance === undefined) && (missing2 = "chance"))) || ((data10.isFound === undefined) && (missing2 = "isFound"))){
validate21.errors = [{instancePath:instancePath+"/noticed",schemaPath:"#/$defs/rate/required",keyword:"required",params:{missingProperty: missing2},message:"must have required property '"+missing2+"'"}];
return false;
}
else {
if(data10.runs !== undefined){
let data11 = data10.runs;
const _errs23 = errors;
if(!(((typeof data11 == "number") && (!(data11 % 1) && !isNaN(data11))) && (isFinite(data11)))){
validate21.errors = [{instancePath:instancePath+"/noticed/runs",schemaPath:"#/$defs/rate/properties/runs/type",keyword:"type",params:{type: "integer"},message:"must be integer"}];
return false;
}
if(errors === _errs23){
if((typeof data11 == "number") && (isFinite(data11))){
if(data11 > 100 || isNaN(data11)){
validate21.errors = [{instancePath:instancePath+"/noticed/runs",schemaPath:"#/$defs/rate/properties/runs/maximum",keyword:"maximum",params:{comparison: "<=", limit: 100},message:"must be <= 100"}];
return false;
}
else {
if(data11 < 0 || isNaN(data11)){
validate21.errors = [{instancePath:instancePath+"/noticed/runs",schemaPath:"#/$defs/rate/properties/runs/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"}];
return false;
}
}
}
}
var valid4 = _errs23 === errors;
}
else {
var valid4 = true;
}
if(valid4){
if(data10.of !== undefined){
let data12 = data10.of;
const _errs25 = errors;
if(!(((typeof data12 == "number") && (!(data12 % 1) && !isNaN(data12))) && (isFinite(data12)))){
validate21.errors = [{instancePath:instancePath+"/noticed/of",schemaPath:"#/$defs/rate/properties/of/type",keyword:"type",params:{type: "integer"},message:"must be integer"}];
return false;
}
if(errors === _errs25){
if((typeof data12 == "number") && (isFinite(data12))){
if(data12 > 100 || isNaN(data12)){
validate21.errors = [{instancePath:instancePath+"/noticed/of",schemaPath:"#/$defs/rate/properties/of/maximum",keyword:"maximum",params:{comparison: "<=", limit: 100},message:"must be <= 100"}];
return false;
}
else {
if(data12 < 0 || isNaN(data12)){
validate21.errors = [{instancePath:instancePath+"/noticed/of",schemaPath:"#/$defs/rate/properties/of/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"}];
return false;
}
}
}
}
var valid4 = _errs25 === errors;
}
else {
var valid4 = true;
}
if(valid4){
if(data10.rounds !== undefined){
let data13 = data10.rounds;
const _errs27 = errors;
if(errors === _errs27){
if(Array.isArray(data13)){
var valid5 = true;
const len0 = data13.length;
for(let i0=0; i0<len0; i0++){
let data14 = data13[i0];
const _errs29 = errors;
if(!(((typeof data14 == "number") && (!(data14 % 1) && !isNaN(data14))) && (isFinite(data14)))){
validate21.errors = [{instancePath:instancePath+"/noticed/rounds/" + i0,schemaPath:"#/$defs/rate/properties/rounds/items/type",keyword:"type",params:{type: "integer"},message:"must be integer"}];
return false;
}
if(errors === _errs29){
if((typeof data14 == "number") && (isFinite(data14))){
if(data14 < 1 || isNaN(data14)){
validate21.errors = [{instancePath:instancePath+"/noticed/rounds/" + i0,schemaPath:"#/$defs/rate/properties/rounds/items/minimum",keyword:"minimum",params:{comparison: ">=", limit: 1},message:"must be >= 1"}];
return false;
}
}
}
var valid5 = _errs29 === errors;
if(!valid5){
break;
}
}
}
else {
validate21.errors = [{instancePath:instancePath+"/noticed/rounds",schemaPath:"#/$defs/rate/properties/rounds/type",keyword:"type",params:{type: "array"},message:"must be array"}];
return false;
}
}
var valid4 = _errs27 === errors;
}
else {
var valid4 = true;
}
if(valid4){
if(data10.interval !== undefined){
let data15 = data10.interval;
const _errs31 = errors;
if(errors === _errs31){
if(Array.isArray(data15)){
if(data15.length > 2){
validate21.errors = [{instancePath:instancePath+"/noticed/interval",schemaPath:"#/$defs/rate/properties/interval/maxItems",keyword:"maxItems",params:{limit: 2},message:"must NOT have more than 2 items"}];
return false;
}
else {
if(data15.length < 2){
validate21.errors = [{instancePath:instancePath+"/noticed/interval",schemaPath:"#/$defs/rate/properties/interval/minItems",keyword:"minItems",params:{limit: 2},message:"must NOT have fewer than 2 items"}];
return false;
}
else {
var valid6 = true;
const len1 = data15.length;
for(let i1=0; i1<len1; i1++){
let data16 = data15[i1];
const _errs33 = errors;
if(errors === _errs33){
if((typeof data16 == "number") && (isFinite(data16))){
if(data16 > 1 || isNaN(data16)){
validate21.errors = [{instancePath:instancePath+"/noticed/interval/" + i1,schemaPath:"#/$defs/rate/properties/interval/items/maximum",keyword:"maximum",params:{comparison: "<=", limit: 1},message:"must be <= 1"}];
return false;
}
else {
if(data16 < 0 || isNaN(data16)){
validate21.errors = [{instancePath:instancePath+"/noticed/interval/" + i1,schemaPath:"#/$defs/rate/properties/interval/items/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"}];
return false;
}
}
}
else {
validate21.errors = [{instancePath:instancePath+"/noticed/interval/" + i1,schemaPath:"#/$defs/rate/properties/interval/items/type",keyword:"type",params:{type: "number"},message:"must be number"}];
return false;
}
}
var valid6 = _errs33 === errors;
if(!valid6){
break;
}
}
}
}
}
else {
validate21.errors = [{instancePath:instancePath+"/noticed/interval",schemaPath:"#/$defs/rate/properties/interval/type",keyword:"type",params:{type: "array"},message:"must be array"}];
return false;
}
}
var valid4 = _errs31 === errors;
}
else {
var valid4 = true;
}
if(valid4){
if(data10.chance !== undefined){
let data17 = data10.chance;
const _errs35 = errors;
if(errors === _errs35){
if((typeof data17 == "number") && (isFinite(data17))){
if(data17 > 1 || isNaN(data17)){
validate21.errors = [{instancePath:instancePath+"/noticed/chance",schemaPath:"#/$defs/rate/properties/chance/maximum",keyword:"maximum",params:{comparison: "<=", limit: 1},message:"must be <= 1"}];
return false;
}
else {
if(data17 < 0 || isNaN(data17)){
validate21.errors = [{instancePath:instancePath+"/noticed/chance",schemaPath:"#/$defs/rate/properties/chance/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"}];
return false;
}
}
}
else {
validate21.errors = [{instancePath:instancePath+"/noticed/chance",schemaPath:"#/$defs/rate/properties/chance/type",keyword:"type",params:{type: "number"},message:"must be number"}];
return false;
}
}
var valid4 = _errs35 === errors;
}
else {
var valid4 = true;
}
if(valid4){
if(data10.isFound !== undefined){
const _errs37 = errors;
if(typeof data10.isFound !== "boolean"){
validate21.errors = [{instancePath:instancePath+"/noticed/isFound",schemaPath:"#/$defs/rate/properties/isFound/type",keyword:"type",params:{type: "boolean"},message:"must be boolean"}];
return false;
}
var valid4 = _errs37 === errors;
}
else {
var valid4 = true;
}
}
}
}
}
}
}
}
else {
validate21.errors = [{instancePath:instancePath+"/noticed",schemaPath:"#/$defs/rate/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
var valid0 = _errs20 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.named !== undefined){
let data19 = data.named;
const _errs39 = errors;
const _errs40 = errors;
if(errors === _errs40){
if(data19 && typeof data19 == "object" && !Array.isArray(data19)){
let missing3;
if(((((((data19.runs === undefined) && (missing3 = "runs")) || ((data19.of === undefined) && (missing3 = "of"))) || ((data19.rounds === undefined) && (missing3 = "rounds"))) || ((data19.interval === undefined) && (missing3 = "interval"))) || ((data19.chance === undefined) && (missing3 = "chance"))) || ((data19.isFound === undefined) && (missing3 = "isFound"))){
validate21.errors = [{instancePath:instancePath+"/named",schemaPath:"#/$defs/rate/required",keyword:"required",params:{missingProperty: missing3},message:"must have required property '"+missing3+"'"}];
return false;
}
else {
if(data19.runs !== undefined){
let data20 = data19.runs;
const _errs42 = errors;
if(!(((typeof data20 == "number") && (!(data20 % 1) && !isNaN(data20))) && (isFinite(data20)))){
validate21.errors = [{instancePath:instancePath+"/named/runs",schemaPath:"#/$defs/rate/properties/runs/type",keyword:"type",params:{type: "integer"},message:"must be integer"}];
return false;
}
if(errors === _errs42){
if((typeof data20 == "number") && (isFinite(data20))){
if(data20 > 100 || isNaN(data20)){
validate21.errors = [{instancePath:instancePath+"/named/runs",schemaPath:"#/$defs/rate/properties/runs/maximum",keyword:"maximum",params:{comparison: "<=", limit: 100},message:"must be <= 100"}];
return false;
}
else {
if(data20 < 0 || isNaN(data20)){
validate21.errors = [{instancePath:instancePath+"/named/runs",schemaPath:"#/$defs/rate/properties/runs/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"}];
return false;
}
}
}
}
var valid8 = _errs42 === errors;
}
else {
var valid8 = true;
}
if(valid8){
if(data19.of !== undefined){
let data21 = data19.of;
const _errs44 = errors;
if(!(((typeof data21 == "number") && (!(data21 % 1) && !isNaN(data21))) && (isFinite(data21)))){
validate21.errors = [{instancePath:instancePath+"/named/of",schemaPath:"#/$defs/rate/properties/of/type",keyword:"type",params:{type: "integer"},message:"must be integer"}];
return false;
}
if(errors === _errs44){
if((typeof data21 == "number") && (isFinite(data21))){
if(data21 > 100 || isNaN(data21)){
validate21.errors = [{instancePath:instancePath+"/named/of",schemaPath:"#/$defs/rate/properties/of/maximum",keyword:"maximum",params:{comparison: "<=", limit: 100},message:"must be <= 100"}];
return false;
}
else {
if(data21 < 0 || isNaN(data21)){
validate21.errors = [{instancePath:instancePath+"/named/of",schemaPath:"#/$defs/rate/properties/of/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"}];
return false;
}
}
}
}
var valid8 = _errs44 === errors;
}
else {
var valid8 = true;
}
if(valid8){
if(data19.rounds !== undefined){
let data22 = data19.rounds;
const _errs46 = errors;
if(errors === _errs46){
if(Array.isArray(data22)){
var valid9 = true;
const len2 = data22.length;
for(let i2=0; i2<len2; i2++){
let data23 = data22[i2];
const _errs48 = errors;
if(!(((typeof data23 == "number") && (!(data23 % 1) && !isNaN(data23))) && (isFinite(data23)))){
validate21.errors = [{instancePath:instancePath+"/named/rounds/" + i2,schemaPath:"#/$defs/rate/properties/rounds/items/type",keyword:"type",params:{type: "integer"},message:"must be integer"}];
return false;
}
if(errors === _errs48){
if((typeof data23 == "number") && (isFinite(data23))){
if(data23 < 1 || isNaN(data23)){
validate21.errors = [{instancePath:instancePath+"/named/rounds/" + i2,schemaPath:"#/$defs/rate/properties/rounds/items/minimum",keyword:"minimum",params:{comparison: ">=", limit: 1},message:"must be >= 1"}];
return false;
}
}
}
var valid9 = _errs48 === errors;
if(!valid9){
break;
}
}
}
else {
validate21.errors = [{instancePath:instancePath+"/named/rounds",schemaPath:"#/$defs/rate/properties/rounds/type",keyword:"type",params:{type: "array"},message:"must be array"}];
return false;
}
}
var valid8 = _errs46 === errors;
}
else {
var valid8 = true;
}
if(valid8){
if(data19.interval !== undefined){
let data24 = data19.interval;
const _errs50 = errors;
if(errors === _errs50){
if(Array.isArray(data24)){
if(data24.length > 2){
validate21.errors = [{instancePath:instancePath+"/named/interval",schemaPath:"#/$defs/rate/properties/interval/maxItems",keyword:"maxItems",params:{limit: 2},message:"must NOT have more than 2 items"}];
return false;
}
else {
if(data24.length < 2){
validate21.errors = [{instancePath:instancePath+"/named/interval",schemaPath:"#/$defs/rate/properties/interval/minItems",keyword:"minItems",params:{limit: 2},message:"must NOT have fewer than 2 items"}];
return false;
}
else {
var valid10 = true;
const len3 = data24.length;
for(let i3=0; i3<len3; i3++){
let data25 = data24[i3];
const _errs52 = errors;
if(errors === _errs52){
if((typeof data25 == "number") && (isFinite(data25))){
if(data25 > 1 || isNaN(data25)){
validate21.errors = [{instancePath:instancePath+"/named/interval/" + i3,schemaPath:"#/$defs/rate/properties/interval/items/maximum",keyword:"maximum",params:{comparison: "<=", limit: 1},message:"must be <= 1"}];
return false;
}
else {
if(data25 < 0 || isNaN(data25)){
validate21.errors = [{instancePath:instancePath+"/named/interval/" + i3,schemaPath:"#/$defs/rate/properties/interval/items/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"}];
return false;
}
}
}
else {
validate21.errors = [{instancePath:instancePath+"/named/interval/" + i3,schemaPath:"#/$defs/rate/properties/interval/items/type",keyword:"type",params:{type: "number"},message:"must be number"}];
return false;
}
}
var valid10 = _errs52 === errors;
if(!valid10){
break;
}
}
}
}
}
else {
validate21.errors = [{instancePath:instancePath+"/named/interval",schemaPath:"#/$defs/rate/properties/interval/type",keyword:"type",params:{type: "array"},message:"must be array"}];
return false;
}
}
var valid8 = _errs50 === errors;
}
else {
var valid8 = true;
}
if(valid8){
if(data19.chance !== undefined){
let data26 = data19.chance;
const _errs54 = errors;
if(errors === _errs54){
if((typeof data26 == "number") && (isFinite(data26))){
if(data26 > 1 || isNaN(data26)){
validate21.errors = [{instancePath:instancePath+"/named/chance",schemaPath:"#/$defs/rate/properties/chance/maximum",keyword:"maximum",params:{comparison: "<=", limit: 1},message:"must be <= 1"}];
return false;
}
else {
if(data26 < 0 || isNaN(data26)){
validate21.errors = [{instancePath:instancePath+"/named/chance",schemaPath:"#/$defs/rate/properties/chance/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"}];
return false;
}
}
}
else {
validate21.errors = [{instancePath:instancePath+"/named/chance",schemaPath:"#/$defs/rate/properties/chance/type",keyword:"type",params:{type: "number"},message:"must be number"}];
return false;
}
}
var valid8 = _errs54 === errors;
}
else {
var valid8 = true;
}
if(valid8){
if(data19.isFound !== undefined){
const _errs56 = errors;
if(typeof data19.isFound !== "boolean"){
validate21.errors = [{instancePath:instancePath+"/named/isFound",schemaPath:"#/$defs/rate/properties/isFound/type",keyword:"type",params:{type: "boolean"},message:"must be boolean"}];
return false;
}
var valid8 = _errs56 === errors;
}
else {
var valid8 = true;
}
}
}
}
}
}
}
}
else {
validate21.errors = [{instancePath:instancePath+"/named",schemaPath:"#/$defs/rate/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
var valid0 = _errs39 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.findings !== undefined){
let data28 = data.findings;
const _errs58 = errors;
if(errors === _errs58){
if(Array.isArray(data28)){
var valid11 = true;
const len4 = data28.length;
for(let i4=0; i4<len4; i4++){
let data29 = data28[i4];
const _errs60 = errors;
const _errs61 = errors;
if(errors === _errs61){
if(data29 && typeof data29 == "object" && !Array.isArray(data29)){
let missing4;
if((data29.text === undefined) && (missing4 = "text")){
validate21.errors = [{instancePath:instancePath+"/findings/" + i4,schemaPath:"#/$defs/finding/required",keyword:"required",params:{missingProperty: missing4},message:"must have required property '"+missing4+"'"}];
return false;
}
else {
if(data29.text !== undefined){
const _errs63 = errors;
if(typeof data29.text !== "string"){
validate21.errors = [{instancePath:instancePath+"/findings/" + i4+"/text",schemaPath:"#/$defs/finding/properties/text/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid13 = _errs63 === errors;
}
else {
var valid13 = true;
}
if(valid13){
if(data29.operation !== undefined){
const _errs65 = errors;
if(typeof data29.operation !== "string"){
validate21.errors = [{instancePath:instancePath+"/findings/" + i4+"/operation",schemaPath:"#/$defs/finding/properties/operation/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid13 = _errs65 === errors;
}
else {
var valid13 = true;
}
if(valid13){
if(data29.code !== undefined){
let data32 = data29.code;
const _errs67 = errors;
if(!(((typeof data32 == "number") && (!(data32 % 1) && !isNaN(data32))) && (isFinite(data32)))){
validate21.errors = [{instancePath:instancePath+"/findings/" + i4+"/code",schemaPath:"#/$defs/finding/properties/code/type",keyword:"type",params:{type: "integer"},message:"must be integer"}];
return false;
}
var valid13 = _errs67 === errors;
}
else {
var valid13 = true;
}
}
}
}
}
else {
validate21.errors = [{instancePath:instancePath+"/findings/" + i4,schemaPath:"#/$defs/finding/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
var valid11 = _errs60 === errors;
if(!valid11){
break;
}
}
}
else {
validate21.errors = [{instancePath:instancePath+"/findings",schemaPath:"#/properties/findings/type",keyword:"type",params:{type: "array"},message:"must be array"}];
return false;
}
}
var valid0 = _errs58 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
}
}
}
}
}
}
}
}
else {
validate21.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
validate21.errors = vErrors;
return errors === 0;
}
validate21.evaluated = {"props":{"name":true,"tier":true,"ruleIn":true,"operation":true,"does":true,"outcome":true,"triggered":true,"exposure":true,"noticed":true,"named":true,"findings":true},"dynamicProps":false,"dynamicItems":false};

const schema39 = {"type":"object","properties":{"name":{"type":"string"},"defect":{"type":["string","null"]},"round":{"type":"integer","minimum":1},"seed":{"type":"integer","minimum":1},"startedAt":{"type":"string","format":"date-time"},"milliseconds":{"type":"number","minimum":0},"testerMilliseconds":{"type":"number","minimum":0},"exitCode":{"type":["integer","null"]},"signal":{"type":["string","null"]},"stoppedBy":{"enum":["timeout","max-requests"]},"findings":{"type":"array","items":{"$ref":"#/$defs/finding"}},"unread":{"type":"string"},"counts":{"$ref":"#/$defs/counts"},"output":{"type":"string"}},"required":["name","defect","round","seed","startedAt","milliseconds","testerMilliseconds","exitCode","signal","findings","counts","output"]};
const schema41 = {"type":"object","properties":{"candidates":{"type":"integer","minimum":0},"triggered":{"type":"integer","minimum":0},"requests":{"type":"integer","minimum":0},"succeeded":{"type":"integer","minimum":0},"credentials":{"type":"integer","minimum":0},"first":{"$ref":"#/$defs/first"},"reached":{"type":"array","items":{"type":"string"}}},"required":["candidates","triggered","requests","succeeded","credentials","reached"]};

function validate24(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
let vErrors = null;
let errors = 0;
const evaluated0 = validate24.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if(((((((data.candidates === undefined) && (missing0 = "candidates")) || ((data.triggered === undefined) && (missing0 = "triggered"))) || ((data.requests === undefined) && (missing0 = "requests"))) || ((data.succeeded === undefined) && (missing0 = "succeeded"))) || ((data.credentials === undefined) && (missing0 = "credentials"))) || ((data.reached === undefined) && (missing0 = "reached"))){
validate24.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0},message:"must have required property '"+missing0+"'"}];
return false;
}
else {
if(data.candidates !== undefined){
let data0 = data.candidates;
const _errs1 = errors;
if(!(((typeof data0 == "number") && (!(data0 % 1) && !isNaN(data0))) && (isFinite(data0)))){
validate24.errors = [{instancePath:instancePath+"/candidates",schemaPath:"#/properties/candidates/type",keyword:"type",params:{type: "integer"},message:"must be integer"}];
return false;
}
if(errors === _errs1){
if((typeof data0 == "number") && (isFinite(data0))){
if(data0 < 0 || isNaN(data0)){
validate24.errors = [{instancePath:instancePath+"/candidates",schemaPath:"#/properties/candidates/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"}];
return false;
}
}
}
var valid0 = _errs1 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.triggered !== undefined){
let data1 = data.triggered;
const _errs3 = errors;
if(!(((typeof data1 == "number") && (!(data1 % 1) && !isNaN(data1))) && (isFinite(data1)))){
validate24.errors = [{instancePath:instancePath+"/triggered",schemaPath:"#/properties/triggered/type",keyword:"type",params:{type: "integer"},message:"must be integer"}];
return false;
}
if(errors === _errs3){
if((typeof data1 == "number") && (isFinite(data1))){
if(data1 < 0 || isNaN(data1)){
validate24.errors = [{instancePath:instancePath+"/triggered",schemaPath:"#/properties/triggered/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"}];
return false;
}
}
}
var valid0 = _errs3 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.requests !== undefined){
let data2 = data.requests;
const _errs5 = errors;
if(!(((typeof data2 == "number") && (!(data2 % 1) && !isNaN(data2))) && (isFinite(data2)))){
validate24.errors = [{instancePath:instancePath+"/requests",schemaPath:"#/properties/requests/type",keyword:"type",params:{type: "integer"},message:"must be integer"}];
return false;
}
if(errors === _errs5){
if((typeof data2 == "number") && (isFinite(data2))){
if(data2 < 0 || isNaN(data2)){
validate24.errors = [{instancePath:instancePath+"/requests",schemaPath:"#/properties/requests/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"}];
return false;
}
}
}
var valid0 = _errs5 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.succeeded !== undefined){
let data3 = data.succeeded;
const _errs7 = errors;
if(!(((typeof data3 == "number") && (!(data3 % 1) && !isNaN(data3))) && (isFinite(data3)))){
validate24.errors = [{instancePath:instancePath+"/succeeded",schemaPath:"#/properties/succeeded/type",keyword:"type",params:{type: "integer"},message:"must be integer"}];
return false;
}
if(errors === _errs7){
if((typeof data3 == "number") && (isFinite(data3))){
if(data3 < 0 || isNaN(data3)){
validate24.errors = [{instancePath:instancePath+"/succeeded",schemaPath:"#/properties/succeeded/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"}];
return false;
}
}
}
var valid0 = _errs7 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.credentials !== undefined){
let data4 = data.credentials;
const _errs9 = errors;
if(!(((typeof data4 == "number") && (!(data4 % 1) && !isNaN(data4))) && (isFinite(data4)))){
validate24.errors = [{instancePath:instancePath+"/credentials",schemaPath:"#/properties/credentials/type",keyword:"type",params:{type: "integer"},message:"must be integer"}];
return false;
}
if(errors === _errs9){
if((typeof data4 == "number") && (isFinite(data4))){
if(data4 < 0 || isNaN(data4)){
validate24.errors = [{instancePath:instancePath+"/credentials",schemaPath:"#/properties/credentials/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"}];
return false;
}
}
}
var valid0 = _errs9 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.first !== undefined){
let data5 = data.first;
const _errs11 = errors;
const _errs12 = errors;
if(errors === _errs12){
if(data5 && typeof data5 == "object" && !Array.isArray(data5)){
let missing1;
if(((data5.requests === undefined) && (missing1 = "requests")) || ((data5.milliseconds === undefined) && (missing1 = "milliseconds"))){
validate24.errors = [{instancePath:instancePath+"/first",schemaPath:"#/$defs/first/required",keyword:"required",params:{missingProperty: missing1},message:"must have required property '"+missing1+"'"}];
return false;
}
else {
if(data5.requests !== undefined){
let data6 = data5.requests;
const _errs14 = errors;
if(!(((typeof data6 == "number") && (!(data6 % 1) && !isNaN(data6))) && (isFinite(data6)))){
validate24.errors = [{instancePath:instancePath+"/first/requests",schemaPath:"#/$defs/first/properties/requests/type",keyword:"type",params:{type: "integer"},message:"must be integer"}];
return false;
}
if(errors === _errs14){
if((typeof data6 == "number") && (isFinite(data6))){
if(data6 < 1 || isNaN(data6)){
validate24.errors = [{instancePath:instancePath+"/first/requests",schemaPath:"#/$defs/first/properties/requests/minimum",keyword:"minimum",params:{comparison: ">=", limit: 1},message:"must be >= 1"}];
return false;
}
}
}
var valid2 = _errs14 === errors;
}
else {
var valid2 = true;
}
if(valid2){
if(data5.milliseconds !== undefined){
let data7 = data5.milliseconds;
const _errs16 = errors;
if(errors === _errs16){
if((typeof data7 == "number") && (isFinite(data7))){
if(data7 < 0 || isNaN(data7)){
validate24.errors = [{instancePath:instancePath+"/first/milliseconds",schemaPath:"#/$defs/first/properties/milliseconds/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"}];
return false;
}
}
else {
validate24.errors = [{instancePath:instancePath+"/first/milliseconds",schemaPath:"#/$defs/first/properties/milliseconds/type",keyword:"type",params:{type: "number"},message:"must be number"}];
return false;
}
}
var valid2 = _errs16 === errors;
}
else {
var valid2 = true;
}
}
}
}
else {
validate24.errors = [{instancePath:instancePath+"/first",schemaPath:"#/$defs/first/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
var valid0 = _errs11 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.reached !== undefined){
let data8 = data.reached;
const _errs18 = errors;
if(errors === _errs18){
if(Array.isArray(data8)){
var valid3 = true;
const len0 = data8.length;
for(let i0=0; i0<len0; i0++){
const _errs20 = errors;
if(typeof data8[i0] !== "string"){
validate24.errors = [{instancePath:instancePath+"/reached/" + i0,schemaPath:"#/properties/reached/items/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid3 = _errs20 === errors;
if(!valid3){
break;
}
}
}
else {
validate24.errors = [{instancePath:instancePath+"/reached",schemaPath:"#/properties/reached/type",keyword:"type",params:{type: "array"},message:"must be array"}];
return false;
}
}
var valid0 = _errs18 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
}
}
}
}
else {
validate24.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
validate24.errors = vErrors;
return errors === 0;
}
validate24.evaluated = {"props":{"candidates":true,"triggered":true,"requests":true,"succeeded":true,"credentials":true,"first":true,"reached":true},"dynamicProps":false,"dynamicItems":false};


function validate23(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
let vErrors = null;
let errors = 0;
const evaluated0 = validate23.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if(((((((((((((data.name === undefined) && (missing0 = "name")) || ((data.defect === undefined) && (missing0 = "defect"))) || ((data.round === undefined) && (missing0 = "round"))) || ((data.seed === undefined) && (missing0 = "seed"))) || ((data.startedAt === undefined) && (missing0 = "startedAt"))) || ((data.milliseconds === undefined) && (missing0 = "milliseconds"))) || ((data.testerMilliseconds === undefined) && (missing0 = "testerMilliseconds"))) || ((data.exitCode === undefined) && (missing0 = "exitCode"))) || ((data.signal === undefined) && (missing0 = "signal"))) || ((data.findings === undefined) && (missing0 = "findings"))) || ((data.counts === undefined) && (missing0 = "counts"))) || ((data.output === undefined) && (missing0 = "output"))){
validate23.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0},message:"must have required property '"+missing0+"'"}];
return false;
}
else {
if(data.name !== undefined){
const _errs1 = errors;
if(typeof data.name !== "string"){
validate23.errors = [{instancePath:instancePath+"/name",schemaPath:"#/properties/name/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid0 = _errs1 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.defect !== undefined){
let data1 = data.defect;
const _errs3 = errors;
if((typeof data1 !== "string") && (data1 !== null)){
validate23.errors = [{instancePath:instancePath+"/defect",schemaPath:"#/properties/defect/type",keyword:"type",params:{type: schema39.properties.defect.type},message:"must be string,null"}];
return false;
}
var valid0 = _errs3 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.round !== undefined){
let data2 = data.round;
const _errs5 = errors;
if(!(((typeof data2 == "number") && (!(data2 % 1) && !isNaN(data2))) && (isFinite(data2)))){
validate23.errors = [{instancePath:instancePath+"/round",schemaPath:"#/properties/round/type",keyword:"type",params:{type: "integer"},message:"must be integer"}];
return false;
}
if(errors === _errs5){
if((typeof data2 == "number") && (isFinite(data2))){
if(data2 < 1 || isNaN(data2)){
validate23.errors = [{instancePath:instancePath+"/round",schemaPath:"#/properties/round/minimum",keyword:"minimum",params:{comparison: ">=", limit: 1},message:"must be >= 1"}];
return false;
}
}
}
var valid0 = _errs5 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.seed !== undefined){
let data3 = data.seed;
const _errs7 = errors;
if(!(((typeof data3 == "number") && (!(data3 % 1) && !isNaN(data3))) && (isFinite(data3)))){
validate23.errors = [{instancePath:instancePath+"/seed",schemaPath:"#/properties/seed/type",keyword:"type",params:{type: "integer"},message:"must be integer"}];
return false;
}
if(errors === _errs7){
if((typeof data3 == "number") && (isFinite(data3))){
if(data3 < 1 || isNaN(data3)){
validate23.errors = [{instancePath:instancePath+"/seed",schemaPath:"#/properties/seed/minimum",keyword:"minimum",params:{comparison: ">=", limit: 1},message:"must be >= 1"}];
return false;
}
}
}
var valid0 = _errs7 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.startedAt !== undefined){
let data4 = data.startedAt;
const _errs9 = errors;
if(errors === _errs9){
if(errors === _errs9){
if(typeof data4 === "string"){
if(!(formats0.test(data4))){
validate23.errors = [{instancePath:instancePath+"/startedAt",schemaPath:"#/properties/startedAt/format",keyword:"format",params:{format: "date-time"},message:"must match format \""+"date-time"+"\""}];
return false;
}
}
else {
validate23.errors = [{instancePath:instancePath+"/startedAt",schemaPath:"#/properties/startedAt/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
}
}
var valid0 = _errs9 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.milliseconds !== undefined){
let data5 = data.milliseconds;
const _errs11 = errors;
if(errors === _errs11){
if((typeof data5 == "number") && (isFinite(data5))){
if(data5 < 0 || isNaN(data5)){
validate23.errors = [{instancePath:instancePath+"/milliseconds",schemaPath:"#/properties/milliseconds/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"}];
return false;
}
}
else {
validate23.errors = [{instancePath:instancePath+"/milliseconds",schemaPath:"#/properties/milliseconds/type",keyword:"type",params:{type: "number"},message:"must be number"}];
return false;
}
}
var valid0 = _errs11 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.testerMilliseconds !== undefined){
let data6 = data.testerMilliseconds;
const _errs13 = errors;
if(errors === _errs13){
if((typeof data6 == "number") && (isFinite(data6))){
if(data6 < 0 || isNaN(data6)){
validate23.errors = [{instancePath:instancePath+"/testerMilliseconds",schemaPath:"#/properties/testerMilliseconds/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"}];
return false;
}
}
else {
validate23.errors = [{instancePath:instancePath+"/testerMilliseconds",schemaPath:"#/properties/testerMilliseconds/type",keyword:"type",params:{type: "number"},message:"must be number"}];
return false;
}
}
var valid0 = _errs13 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.exitCode !== undefined){
let data7 = data.exitCode;
const _errs15 = errors;
if((!(((typeof data7 == "number") && (!(data7 % 1) && !isNaN(data7))) && (isFinite(data7)))) && (data7 !== null)){
validate23.errors = [{instancePath:instancePath+"/exitCode",schemaPath:"#/properties/exitCode/type",keyword:"type",params:{type: schema39.properties.exitCode.type},message:"must be integer,null"}];
return false;
}
var valid0 = _errs15 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.signal !== undefined){
let data8 = data.signal;
const _errs17 = errors;
if((typeof data8 !== "string") && (data8 !== null)){
validate23.errors = [{instancePath:instancePath+"/signal",schemaPath:"#/properties/signal/type",keyword:"type",params:{type: schema39.properties.signal.type},message:"must be string,null"}];
return false;
}
var valid0 = _errs17 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.stoppedBy !== undefined){
let data9 = data.stoppedBy;
const _errs19 = errors;
if(!((data9 === "timeout") || (data9 === "max-requests"))){
validate23.errors = [{instancePath:instancePath+"/stoppedBy",schemaPath:"#/properties/stoppedBy/enum",keyword:"enum",params:{allowedValues: schema39.properties.stoppedBy.enum},message:"must be equal to one of the allowed values"}];
return false;
}
var valid0 = _errs19 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.findings !== undefined){
let data10 = data.findings;
const _errs20 = errors;
if(errors === _errs20){
if(Array.isArray(data10)){
var valid1 = true;
const len0 = data10.length;
for(let i0=0; i0<len0; i0++){
let data11 = data10[i0];
const _errs22 = errors;
const _errs23 = errors;
if(errors === _errs23){
if(data11 && typeof data11 == "object" && !Array.isArray(data11)){
let missing1;
if((data11.text === undefined) && (missing1 = "text")){
validate23.errors = [{instancePath:instancePath+"/findings/" + i0,schemaPath:"#/$defs/finding/required",keyword:"required",params:{missingProperty: missing1},message:"must have required property '"+missing1+"'"}];
return false;
}
else {
if(data11.text !== undefined){
const _errs25 = errors;
if(typeof data11.text !== "string"){
validate23.errors = [{instancePath:instancePath+"/findings/" + i0+"/text",schemaPath:"#/$defs/finding/properties/text/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid3 = _errs25 === errors;
}
else {
var valid3 = true;
}
if(valid3){
if(data11.operation !== undefined){
const _errs27 = errors;
if(typeof data11.operation !== "string"){
validate23.errors = [{instancePath:instancePath+"/findings/" + i0+"/operation",schemaPath:"#/$defs/finding/properties/operation/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid3 = _errs27 === errors;
}
else {
var valid3 = true;
}
if(valid3){
if(data11.code !== undefined){
let data14 = data11.code;
const _errs29 = errors;
if(!(((typeof data14 == "number") && (!(data14 % 1) && !isNaN(data14))) && (isFinite(data14)))){
validate23.errors = [{instancePath:instancePath+"/findings/" + i0+"/code",schemaPath:"#/$defs/finding/properties/code/type",keyword:"type",params:{type: "integer"},message:"must be integer"}];
return false;
}
var valid3 = _errs29 === errors;
}
else {
var valid3 = true;
}
}
}
}
}
else {
validate23.errors = [{instancePath:instancePath+"/findings/" + i0,schemaPath:"#/$defs/finding/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
var valid1 = _errs22 === errors;
if(!valid1){
break;
}
}
}
else {
validate23.errors = [{instancePath:instancePath+"/findings",schemaPath:"#/properties/findings/type",keyword:"type",params:{type: "array"},message:"must be array"}];
return false;
}
}
var valid0 = _errs20 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.unread !== undefined){
const _errs31 = errors;
if(typeof data.unread !== "string"){
validate23.errors = [{instancePath:instancePath+"/unread",schemaPath:"#/properties/unread/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid0 = _errs31 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.counts !== undefined){
const _errs33 = errors;
if(!(validate24(data.counts, {instancePath:instancePath+"/counts",parentData:data,parentDataProperty:"counts",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate24.errors : vErrors.concat(validate24.errors);
errors = vErrors.length;
}
var valid0 = _errs33 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.output !== undefined){
const _errs34 = errors;
if(typeof data.output !== "string"){
validate23.errors = [{instancePath:instancePath+"/output",schemaPath:"#/properties/output/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid0 = _errs34 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
else {
validate23.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
validate23.errors = vErrors;
return errors === 0;
}
validate23.evaluated = {"props":{"name":true,"defect":true,"round":true,"seed":true,"startedAt":true,"milliseconds":true,"testerMilliseconds":true,"exitCode":true,"signal":true,"stoppedBy":true,"findings":true,"unread":true,"counts":true,"output":true},"dynamicProps":false,"dynamicItems":false};


function validate20(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
let vErrors = null;
let errors = 0;
const evaluated0 = validate20.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if(((((((((((((((((data.plantStoreGrading === undefined) && (missing0 = "plantStoreGrading")) || ((data.environment === undefined) && (missing0 = "environment"))) || ((data.service === undefined) && (missing0 = "service"))) || ((data.tester === undefined) && (missing0 = "tester"))) || ((data.options === undefined) && (missing0 = "options"))) || ((data.startedAt === undefined) && (missing0 = "startedAt"))) || ((data.endedAt === undefined) && (missing0 = "endedAt"))) || ((data.halt === undefined) && (missing0 = "halt"))) || ((data.planted === undefined) && (missing0 = "planted"))) || ((data.tiers === undefined) && (missing0 = "tiers"))) || ((data.defects === undefined) && (missing0 = "defects"))) || ((data.falseAlarms === undefined) && (missing0 = "falseAlarms"))) || ((data.groundless === undefined) && (missing0 = "groundless"))) || ((data.short === undefined) && (missing0 = "short"))) || ((data.reached === undefined) && (missing0 = "reached"))) || ((data.runs === undefined) && (missing0 = "runs"))){
validate20.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0},message:"must have required property '"+missing0+"'"}];
return false;
}
else {
if(data.plantStoreGrading !== undefined){
let data0 = data.plantStoreGrading;
const _errs1 = errors;
if(errors === _errs1){
if(typeof data0 === "string"){
if(!pattern4.test(data0)){
validate20.errors = [{instancePath:instancePath+"/plantStoreGrading",schemaPath:"#/properties/plantStoreGrading/pattern",keyword:"pattern",params:{pattern: "^1\\.[0-9]+\\.[0-9]+$"},message:"must match pattern \""+"^1\\.[0-9]+\\.[0-9]+$"+"\""}];
return false;
}
}
else {
validate20.errors = [{instancePath:instancePath+"/plantStoreGrading",schemaPath:"#/properties/plantStoreGrading/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
}
var valid0 = _errs1 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.environment !== undefined){
let data1 = data.environment;
const _errs3 = errors;
if(errors === _errs3){
if(data1 && typeof data1 == "object" && !Array.isArray(data1)){
let missing1;
if((((((((data1.plantStore === undefined) && (missing1 = "plantStore")) || ((data1.commit === undefined) && (missing1 = "commit"))) || ((data1.node === undefined) && (missing1 = "node"))) || ((data1.platform === undefined) && (missing1 = "platform"))) || ((data1.cpu === undefined) && (missing1 = "cpu"))) || ((data1.cores === undefined) && (missing1 = "cores"))) || ((data1.memory === undefined) && (missing1 = "memory"))){
validate20.errors = [{instancePath:instancePath+"/environment",schemaPath:"#/properties/environment/required",keyword:"required",params:{missingProperty: missing1},message:"must have required property '"+missing1+"'"}];
return false;
}
else {
if(data1.plantStore !== undefined){
const _errs5 = errors;
if(typeof data1.plantStore !== "string"){
validate20.errors = [{instancePath:instancePath+"/environment/plantStore",schemaPath:"#/properties/environment/properties/plantStore/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid1 = _errs5 === errors;
}
else {
var valid1 = true;
}
if(valid1){
if(data1.commit !== undefined){
let data3 = data1.commit;
const _errs7 = errors;
if((typeof data3 !== "string") && (data3 !== null)){
validate20.errors = [{instancePath:instancePath+"/environment/commit",schemaPath:"#/properties/environment/properties/commit/type",keyword:"type",params:{type: schema31.properties.environment.properties.commit.type},message:"must be string,null"}];
return false;
}
var valid1 = _errs7 === errors;
}
else {
var valid1 = true;
}
if(valid1){
if(data1.node !== undefined){
const _errs9 = errors;
if(typeof data1.node !== "string"){
validate20.errors = [{instancePath:instancePath+"/environment/node",schemaPath:"#/properties/environment/properties/node/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid1 = _errs9 === errors;
}
else {
var valid1 = true;
}
if(valid1){
if(data1.platform !== undefined){
const _errs11 = errors;
if(typeof data1.platform !== "string"){
validate20.errors = [{instancePath:instancePath+"/environment/platform",schemaPath:"#/properties/environment/properties/platform/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid1 = _errs11 === errors;
}
else {
var valid1 = true;
}
if(valid1){
if(data1.cpu !== undefined){
const _errs13 = errors;
if(typeof data1.cpu !== "string"){
validate20.errors = [{instancePath:instancePath+"/environment/cpu",schemaPath:"#/properties/environment/properties/cpu/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid1 = _errs13 === errors;
}
else {
var valid1 = true;
}
if(valid1){
if(data1.cores !== undefined){
let data7 = data1.cores;
const _errs15 = errors;
if(!(((typeof data7 == "number") && (!(data7 % 1) && !isNaN(data7))) && (isFinite(data7)))){
validate20.errors = [{instancePath:instancePath+"/environment/cores",schemaPath:"#/properties/environment/properties/cores/type",keyword:"type",params:{type: "integer"},message:"must be integer"}];
return false;
}
if(errors === _errs15){
if((typeof data7 == "number") && (isFinite(data7))){
if(data7 < 1 || isNaN(data7)){
validate20.errors = [{instancePath:instancePath+"/environment/cores",schemaPath:"#/properties/environment/properties/cores/minimum",keyword:"minimum",params:{comparison: ">=", limit: 1},message:"must be >= 1"}];
return false;
}
}
}
var valid1 = _errs15 === errors;
}
else {
var valid1 = true;
}
if(valid1){
if(data1.memory !== undefined){
let data8 = data1.memory;
const _errs17 = errors;
if(!(((typeof data8 == "number") && (!(data8 % 1) && !isNaN(data8))) && (isFinite(data8)))){
validate20.errors = [{instancePath:instancePath+"/environment/memory",schemaPath:"#/properties/environment/properties/memory/type",keyword:"type",params:{type: "integer"},message:"must be integer"}];
return false;
}
if(errors === _errs17){
if((typeof data8 == "number") && (isFinite(data8))){
if(data8 < 0 || isNaN(data8)){
validate20.errors = [{instancePath:instancePath+"/environment/memory",schemaPath:"#/properties/environment/properties/memory/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"}];
return false;
}
}
}
var valid1 = _errs17 === errors;
}
else {
var valid1 = true;
}
}
}
}
}
}
}
}
}
else {
validate20.errors = [{instancePath:instancePath+"/environment",schemaPath:"#/properties/environment/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
var valid0 = _errs3 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.service !== undefined){
let data9 = data.service;
const _errs19 = errors;
if(errors === _errs19){
if(data9 && typeof data9 == "object" && !Array.isArray(data9)){
let missing2;
if((((data9.name === undefined) && (missing2 = "name")) || ((data9.version === undefined) && (missing2 = "version"))) || ((data9.description === undefined) && (missing2 = "description"))){
validate20.errors = [{instancePath:instancePath+"/service",schemaPath:"#/properties/service/required",keyword:"required",params:{missingProperty: missing2},message:"must have required property '"+missing2+"'"}];
return false;
}
else {
if(data9.name !== undefined){
const _errs21 = errors;
if(typeof data9.name !== "string"){
validate20.errors = [{instancePath:instancePath+"/service/name",schemaPath:"#/properties/service/properties/name/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid2 = _errs21 === errors;
}
else {
var valid2 = true;
}
if(valid2){
if(data9.version !== undefined){
const _errs23 = errors;
if(typeof data9.version !== "string"){
validate20.errors = [{instancePath:instancePath+"/service/version",schemaPath:"#/properties/service/properties/version/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid2 = _errs23 === errors;
}
else {
var valid2 = true;
}
if(valid2){
if(data9.description !== undefined){
let data12 = data9.description;
const _errs25 = errors;
if(errors === _errs25){
if(typeof data12 === "string"){
if(!pattern5.test(data12)){
validate20.errors = [{instancePath:instancePath+"/service/description",schemaPath:"#/properties/service/properties/description/pattern",keyword:"pattern",params:{pattern: "^[0-9a-f]{64}$"},message:"must match pattern \""+"^[0-9a-f]{64}$"+"\""}];
return false;
}
}
else {
validate20.errors = [{instancePath:instancePath+"/service/description",schemaPath:"#/properties/service/properties/description/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
}
var valid2 = _errs25 === errors;
}
else {
var valid2 = true;
}
}
}
}
}
else {
validate20.errors = [{instancePath:instancePath+"/service",schemaPath:"#/properties/service/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
var valid0 = _errs19 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.tester !== undefined){
let data13 = data.tester;
const _errs27 = errors;
if(errors === _errs27){
if(data13 && typeof data13 == "object" && !Array.isArray(data13)){
let missing3;
if(((((data13.name === undefined) && (missing3 = "name")) || ((data13.version === undefined) && (missing3 = "version"))) || ((data13.command === undefined) && (missing3 = "command"))) || ((data13.findings === undefined) && (missing3 = "findings"))){
validate20.errors = [{instancePath:instancePath+"/tester",schemaPath:"#/properties/tester/required",keyword:"required",params:{missingProperty: missing3},message:"must have required property '"+missing3+"'"}];
return false;
}
else {
if(data13.name !== undefined){
const _errs29 = errors;
if(typeof data13.name !== "string"){
validate20.errors = [{instancePath:instancePath+"/tester/name",schemaPath:"#/properties/tester/properties/name/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid3 = _errs29 === errors;
}
else {
var valid3 = true;
}
if(valid3){
if(data13.version !== undefined){
let data15 = data13.version;
const _errs31 = errors;
if((typeof data15 !== "string") && (data15 !== null)){
validate20.errors = [{instancePath:instancePath+"/tester/version",schemaPath:"#/properties/tester/properties/version/type",keyword:"type",params:{type: schema31.properties.tester.properties.version.type},message:"must be string,null"}];
return false;
}
var valid3 = _errs31 === errors;
}
else {
var valid3 = true;
}
if(valid3){
if(data13.command !== undefined){
let data16 = data13.command;
const _errs33 = errors;
if(errors === _errs33){
if(Array.isArray(data16)){
var valid4 = true;
const len0 = data16.length;
for(let i0=0; i0<len0; i0++){
const _errs35 = errors;
if(typeof data16[i0] !== "string"){
validate20.errors = [{instancePath:instancePath+"/tester/command/" + i0,schemaPath:"#/properties/tester/properties/command/items/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid4 = _errs35 === errors;
if(!valid4){
break;
}
}
}
else {
validate20.errors = [{instancePath:instancePath+"/tester/command",schemaPath:"#/properties/tester/properties/command/type",keyword:"type",params:{type: "array"},message:"must be array"}];
return false;
}
}
var valid3 = _errs33 === errors;
}
else {
var valid3 = true;
}
if(valid3){
if(data13.findings !== undefined){
const _errs37 = errors;
if(typeof data13.findings !== "string"){
validate20.errors = [{instancePath:instancePath+"/tester/findings",schemaPath:"#/properties/tester/properties/findings/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid3 = _errs37 === errors;
}
else {
var valid3 = true;
}
}
}
}
}
}
else {
validate20.errors = [{instancePath:instancePath+"/tester",schemaPath:"#/properties/tester/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
var valid0 = _errs27 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.options !== undefined){
let data19 = data.options;
const _errs39 = errors;
if(errors === _errs39){
if(data19 && typeof data19 == "object" && !Array.isArray(data19)){
let missing4;
if((((((((data19.controls === undefined) && (missing4 = "controls")) || ((data19.seeds === undefined) && (missing4 = "seeds"))) || ((data19.order === undefined) && (missing4 = "order"))) || ((data19.jobs === undefined) && (missing4 = "jobs"))) || ((data19.timeout === undefined) && (missing4 = "timeout"))) || ((data19.maxOutput === undefined) && (missing4 = "maxOutput"))) || ((data19.output === undefined) && (missing4 = "output"))){
validate20.errors = [{instancePath:instancePath+"/options",schemaPath:"#/properties/options/required",keyword:"required",params:{missingProperty: missing4},message:"must have required property '"+missing4+"'"}];
return false;
}
else {
if(data19.variants !== undefined){
let data20 = data19.variants;
const _errs41 = errors;
if(!(((typeof data20 == "number") && (!(data20 % 1) && !isNaN(data20))) && (isFinite(data20)))){
validate20.errors = [{instancePath:instancePath+"/options/variants",schemaPath:"#/properties/options/properties/variants/type",keyword:"type",params:{type: "integer"},message:"must be integer"}];
return false;
}
if(errors === _errs41){
if((typeof data20 == "number") && (isFinite(data20))){
if(data20 < 0 || isNaN(data20)){
validate20.errors = [{instancePath:instancePath+"/options/variants",schemaPath:"#/properties/options/properties/variants/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"}];
return false;
}
}
}
var valid5 = _errs41 === errors;
}
else {
var valid5 = true;
}
if(valid5){
if(data19.plants !== undefined){
const _errs43 = errors;
if(typeof data19.plants !== "string"){
validate20.errors = [{instancePath:instancePath+"/options/plants",schemaPath:"#/properties/options/properties/plants/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid5 = _errs43 === errors;
}
else {
var valid5 = true;
}
if(valid5){
if(data19.controls !== undefined){
let data22 = data19.controls;
const _errs45 = errors;
if(!(((typeof data22 == "number") && (!(data22 % 1) && !isNaN(data22))) && (isFinite(data22)))){
validate20.errors = [{instancePath:instancePath+"/options/controls",schemaPath:"#/properties/options/properties/controls/type",keyword:"type",params:{type: "integer"},message:"must be integer"}];
return false;
}
if(errors === _errs45){
if((typeof data22 == "number") && (isFinite(data22))){
if(data22 < 1 || isNaN(data22)){
validate20.errors = [{instancePath:instancePath+"/options/controls",schemaPath:"#/properties/options/properties/controls/minimum",keyword:"minimum",params:{comparison: ">=", limit: 1},message:"must be >= 1"}];
return false;
}
}
}
var valid5 = _errs45 === errors;
}
else {
var valid5 = true;
}
if(valid5){
if(data19.seeds !== undefined){
let data23 = data19.seeds;
const _errs47 = errors;
if(!(((typeof data23 == "number") && (!(data23 % 1) && !isNaN(data23))) && (isFinite(data23)))){
validate20.errors = [{instancePath:instancePath+"/options/seeds",schemaPath:"#/properties/options/properties/seeds/type",keyword:"type",params:{type: "integer"},message:"must be integer"}];
return false;
}
if(errors === _errs47){
if((typeof data23 == "number") && (isFinite(data23))){
if(data23 > 100 || isNaN(data23)){
validate20.errors = [{instancePath:instancePath+"/options/seeds",schemaPath:"#/properties/options/properties/seeds/maximum",keyword:"maximum",params:{comparison: "<=", limit: 100},message:"must be <= 100"}];
return false;
}
else {
if(data23 < 1 || isNaN(data23)){
validate20.errors = [{instancePath:instancePath+"/options/seeds",schemaPath:"#/properties/options/properties/seeds/minimum",keyword:"minimum",params:{comparison: ">=", limit: 1},message:"must be >= 1"}];
return false;
}
}
}
}
var valid5 = _errs47 === errors;
}
else {
var valid5 = true;
}
if(valid5){
if(data19.order !== undefined){
let data24 = data19.order;
const _errs49 = errors;
if(!(((typeof data24 == "number") && (!(data24 % 1) && !isNaN(data24))) && (isFinite(data24)))){
validate20.errors = [{instancePath:instancePath+"/options/order",schemaPath:"#/properties/options/properties/order/type",keyword:"type",params:{type: "integer"},message:"must be integer"}];
return false;
}
if(errors === _errs49){
if((typeof data24 == "number") && (isFinite(data24))){
if(data24 < 0 || isNaN(data24)){
validate20.errors = [{instancePath:instancePath+"/options/order",schemaPath:"#/properties/options/properties/order/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"}];
return false;
}
}
}
var valid5 = _errs49 === errors;
}
else {
var valid5 = true;
}
if(valid5){
if(data19.jobs !== undefined){
let data25 = data19.jobs;
const _errs51 = errors;
if(!(((typeof data25 == "number") && (!(data25 % 1) && !isNaN(data25))) && (isFinite(data25)))){
validate20.errors = [{instancePath:instancePath+"/options/jobs",schemaPath:"#/properties/options/properties/jobs/type",keyword:"type",params:{type: "integer"},message:"must be integer"}];
return false;
}
if(errors === _errs51){
if((typeof data25 == "number") && (isFinite(data25))){
if(data25 < 1 || isNaN(data25)){
validate20.errors = [{instancePath:instancePath+"/options/jobs",schemaPath:"#/properties/options/properties/jobs/minimum",keyword:"minimum",params:{comparison: ">=", limit: 1},message:"must be >= 1"}];
return false;
}
}
}
var valid5 = _errs51 === errors;
}
else {
var valid5 = true;
}
if(valid5){
if(data19.timeout !== undefined){
let data26 = data19.timeout;
const _errs53 = errors;
if(!(((typeof data26 == "number") && (!(data26 % 1) && !isNaN(data26))) && (isFinite(data26)))){
validate20.errors = [{instancePath:instancePath+"/options/timeout",schemaPath:"#/properties/options/properties/timeout/type",keyword:"type",params:{type: "integer"},message:"must be integer"}];
return false;
}
if(errors === _errs53){
if((typeof data26 == "number") && (isFinite(data26))){
if(data26 < 0 || isNaN(data26)){
validate20.errors = [{instancePath:instancePath+"/options/timeout",schemaPath:"#/properties/options/properties/timeout/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"}];
return false;
}
}
}
var valid5 = _errs53 === errors;
}
else {
var valid5 = true;
}
if(valid5){
if(data19.maxRequests !== undefined){
let data27 = data19.maxRequests;
const _errs55 = errors;
if(!(((typeof data27 == "number") && (!(data27 % 1) && !isNaN(data27))) && (isFinite(data27)))){
validate20.errors = [{instancePath:instancePath+"/options/maxRequests",schemaPath:"#/properties/options/properties/maxRequests/type",keyword:"type",params:{type: "integer"},message:"must be integer"}];
return false;
}
if(errors === _errs55){
if((typeof data27 == "number") && (isFinite(data27))){
if(data27 < 0 || isNaN(data27)){
validate20.errors = [{instancePath:instancePath+"/options/maxRequests",schemaPath:"#/properties/options/properties/maxRequests/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"}];
return false;
}
}
}
var valid5 = _errs55 === errors;
}
else {
var valid5 = true;
}
if(valid5){
if(data19.maxReport !== undefined){
let data28 = data19.maxReport;
const _errs57 = errors;
if(!(((typeof data28 == "number") && (!(data28 % 1) && !isNaN(data28))) && (isFinite(data28)))){
validate20.errors = [{instancePath:instancePath+"/options/maxReport",schemaPath:"#/properties/options/properties/maxReport/type",keyword:"type",params:{type: "integer"},message:"must be integer"}];
return false;
}
if(errors === _errs57){
if((typeof data28 == "number") && (isFinite(data28))){
if(data28 < 1 || isNaN(data28)){
validate20.errors = [{instancePath:instancePath+"/options/maxReport",schemaPath:"#/properties/options/properties/maxReport/minimum",keyword:"minimum",params:{comparison: ">=", limit: 1},message:"must be >= 1"}];
return false;
}
}
}
var valid5 = _errs57 === errors;
}
else {
var valid5 = true;
}
if(valid5){
if(data19.maxOutput !== undefined){
let data29 = data19.maxOutput;
const _errs59 = errors;
if(!(((typeof data29 == "number") && (!(data29 % 1) && !isNaN(data29))) && (isFinite(data29)))){
validate20.errors = [{instancePath:instancePath+"/options/maxOutput",schemaPath:"#/properties/options/properties/maxOutput/type",keyword:"type",params:{type: "integer"},message:"must be integer"}];
return false;
}
if(errors === _errs59){
if((typeof data29 == "number") && (isFinite(data29))){
if(data29 < 0 || isNaN(data29)){
validate20.errors = [{instancePath:instancePath+"/options/maxOutput",schemaPath:"#/properties/options/properties/maxOutput/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"}];
return false;
}
}
}
var valid5 = _errs59 === errors;
}
else {
var valid5 = true;
}
if(valid5){
if(data19.output !== undefined){
const _errs61 = errors;
if(typeof data19.output !== "string"){
validate20.errors = [{instancePath:instancePath+"/options/output",schemaPath:"#/properties/options/properties/output/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid5 = _errs61 === errors;
}
else {
var valid5 = true;
}
}
}
}
}
}
}
}
}
}
}
}
}
else {
validate20.errors = [{instancePath:instancePath+"/options",schemaPath:"#/properties/options/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
var valid0 = _errs39 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.startedAt !== undefined){
let data31 = data.startedAt;
const _errs63 = errors;
if(errors === _errs63){
if(errors === _errs63){
if(typeof data31 === "string"){
if(!(formats0.test(data31))){
validate20.errors = [{instancePath:instancePath+"/startedAt",schemaPath:"#/properties/startedAt/format",keyword:"format",params:{format: "date-time"},message:"must match format \""+"date-time"+"\""}];
return false;
}
}
else {
validate20.errors = [{instancePath:instancePath+"/startedAt",schemaPath:"#/properties/startedAt/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
}
}
var valid0 = _errs63 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.endedAt !== undefined){
let data32 = data.endedAt;
const _errs65 = errors;
if(errors === _errs65){
if(errors === _errs65){
if(typeof data32 === "string"){
if(!(formats0.test(data32))){
validate20.errors = [{instancePath:instancePath+"/endedAt",schemaPath:"#/properties/endedAt/format",keyword:"format",params:{format: "date-time"},message:"must match format \""+"date-time"+"\""}];
return false;
}
}
else {
validate20.errors = [{instancePath:instancePath+"/endedAt",schemaPath:"#/properties/endedAt/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
}
}
var valid0 = _errs65 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.halt !== undefined){
let data33 = data.halt;
const _errs67 = errors;
if(!(((((data33 === "clean service fails") || (data33 === "no report")) || (data33 === "floor")) || (data33 === "stopped")) || (data33 === null))){
validate20.errors = [{instancePath:instancePath+"/halt",schemaPath:"#/properties/halt/enum",keyword:"enum",params:{allowedValues: schema31.properties.halt.enum},message:"must be equal to one of the allowed values"}];
return false;
}
var valid0 = _errs67 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.planted !== undefined){
let data34 = data.planted;
const _errs68 = errors;
if(!(((typeof data34 == "number") && (!(data34 % 1) && !isNaN(data34))) && (isFinite(data34)))){
validate20.errors = [{instancePath:instancePath+"/planted",schemaPath:"#/properties/planted/type",keyword:"type",params:{type: "integer"},message:"must be integer"}];
return false;
}
if(errors === _errs68){
if((typeof data34 == "number") && (isFinite(data34))){
if(data34 < 0 || isNaN(data34)){
validate20.errors = [{instancePath:instancePath+"/planted",schemaPath:"#/properties/planted/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"}];
return false;
}
}
}
var valid0 = _errs68 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.tiers !== undefined){
let data35 = data.tiers;
const _errs70 = errors;
if(errors === _errs70){
if(Array.isArray(data35)){
var valid6 = true;
const len1 = data35.length;
for(let i1=0; i1<len1; i1++){
let data36 = data35[i1];
const _errs72 = errors;
if(errors === _errs72){
if(data36 && typeof data36 == "object" && !Array.isArray(data36)){
let missing5;
if((((data36.tier === undefined) && (missing5 = "tier")) || ((data36.schema === undefined) && (missing5 = "schema"))) || ((data36.prose === undefined) && (missing5 = "prose"))){
validate20.errors = [{instancePath:instancePath+"/tiers/" + i1,schemaPath:"#/properties/tiers/items/required",keyword:"required",params:{missingProperty: missing5},message:"must have required property '"+missing5+"'"}];
return false;
}
else {
if(data36.tier !== undefined){
const _errs74 = errors;
if(typeof data36.tier !== "string"){
validate20.errors = [{instancePath:instancePath+"/tiers/" + i1+"/tier",schemaPath:"#/properties/tiers/items/properties/tier/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid7 = _errs74 === errors;
}
else {
var valid7 = true;
}
if(valid7){
if(data36.schema !== undefined){
let data38 = data36.schema;
const _errs76 = errors;
const _errs77 = errors;
if(errors === _errs77){
if(data38 && typeof data38 == "object" && !Array.isArray(data38)){
let missing6;
if((((((data38.planted === undefined) && (missing6 = "planted")) || ((data38.triggered === undefined) && (missing6 = "triggered"))) || ((data38.noticed === undefined) && (missing6 = "noticed"))) || ((data38.found === undefined) && (missing6 = "found"))) || ((data38.named === undefined) && (missing6 = "named"))){
validate20.errors = [{instancePath:instancePath+"/tiers/" + i1+"/schema",schemaPath:"#/$defs/cell/required",keyword:"required",params:{missingProperty: missing6},message:"must have required property '"+missing6+"'"}];
return false;
}
else {
if(data38.planted !== undefined){
let data39 = data38.planted;
const _errs79 = errors;
if(!(((typeof data39 == "number") && (!(data39 % 1) && !isNaN(data39))) && (isFinite(data39)))){
validate20.errors = [{instancePath:instancePath+"/tiers/" + i1+"/schema/planted",schemaPath:"#/$defs/cell/properties/planted/type",keyword:"type",params:{type: "integer"},message:"must be integer"}];
return false;
}
if(errors === _errs79){
if((typeof data39 == "number") && (isFinite(data39))){
if(data39 < 0 || isNaN(data39)){
validate20.errors = [{instancePath:instancePath+"/tiers/" + i1+"/schema/planted",schemaPath:"#/$defs/cell/properties/planted/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"}];
return false;
}
}
}
var valid9 = _errs79 === errors;
}
else {
var valid9 = true;
}
if(valid9){
if(data38.triggered !== undefined){
let data40 = data38.triggered;
const _errs81 = errors;
if(!(((typeof data40 == "number") && (!(data40 % 1) && !isNaN(data40))) && (isFinite(data40)))){
validate20.errors = [{instancePath:instancePath+"/tiers/" + i1+"/schema/triggered",schemaPath:"#/$defs/cell/properties/triggered/type",keyword:"type",params:{type: "integer"},message:"must be integer"}];
return false;
}
if(errors === _errs81){
if((typeof data40 == "number") && (isFinite(data40))){
if(data40 < 0 || isNaN(data40)){
validate20.errors = [{instancePath:instancePath+"/tiers/" + i1+"/schema/triggered",schemaPath:"#/$defs/cell/properties/triggered/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"}];
return false;
}
}
}
var valid9 = _errs81 === errors;
}
else {
var valid9 = true;
}
if(valid9){
if(data38.noticed !== undefined){
let data41 = data38.noticed;
const _errs83 = errors;
if(!(((typeof data41 == "number") && (!(data41 % 1) && !isNaN(data41))) && (isFinite(data41)))){
validate20.errors = [{instancePath:instancePath+"/tiers/" + i1+"/schema/noticed",schemaPath:"#/$defs/cell/properties/noticed/type",keyword:"type",params:{type: "integer"},message:"must be integer"}];
return false;
}
if(errors === _errs83){
if((typeof data41 == "number") && (isFinite(data41))){
if(data41 < 0 || isNaN(data41)){
validate20.errors = [{instancePath:instancePath+"/tiers/" + i1+"/schema/noticed",schemaPath:"#/$defs/cell/properties/noticed/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"}];
return false;
}
}
}
var valid9 = _errs83 === errors;
}
else {
var valid9 = true;
}
if(valid9){
if(data38.found !== undefined){
let data42 = data38.found;
const _errs85 = errors;
if(!(((typeof data42 == "number") && (!(data42 % 1) && !isNaN(data42))) && (isFinite(data42)))){
validate20.errors = [{instancePath:instancePath+"/tiers/" + i1+"/schema/found",schemaPath:"#/$defs/cell/properties/found/type",keyword:"type",params:{type: "integer"},message:"must be integer"}];
return false;
}
if(errors === _errs85){
if((typeof data42 == "number") && (isFinite(data42))){
if(data42 < 0 || isNaN(data42)){
validate20.errors = [{instancePath:instancePath+"/tiers/" + i1+"/schema/found",schemaPath:"#/$defs/cell/properties/found/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"}];
return false;
}
}
}
var valid9 = _errs85 === errors;
}
else {
var valid9 = true;
}
if(valid9){
if(data38.named !== undefined){
let data43 = data38.named;
const _errs87 = errors;
if(!(((typeof data43 == "number") && (!(data43 % 1) && !isNaN(data43))) && (isFinite(data43)))){
validate20.errors = [{instancePath:instancePath+"/tiers/" + i1+"/schema/named",schemaPath:"#/$defs/cell/properties/named/type",keyword:"type",params:{type: "integer"},message:"must be integer"}];
return false;
}
if(errors === _errs87){
if((typeof data43 == "number") && (isFinite(data43))){
if(data43 < 0 || isNaN(data43)){
validate20.errors = [{instancePath:instancePath+"/tiers/" + i1+"/schema/named",schemaPath:"#/$defs/cell/properties/named/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"}];
return false;
}
}
}
var valid9 = _errs87 === errors;
}
else {
var valid9 = true;
}
}
}
}
}
}
}
else {
validate20.errors = [{instancePath:instancePath+"/tiers/" + i1+"/schema",schemaPath:"#/$defs/cell/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
var valid7 = _errs76 === errors;
}
else {
var valid7 = true;
}
if(valid7){
if(data36.prose !== undefined){
let data44 = data36.prose;
const _errs89 = errors;
const _errs90 = errors;
if(errors === _errs90){
if(data44 && typeof data44 == "object" && !Array.isArray(data44)){
let missing7;
if((((((data44.planted === undefined) && (missing7 = "planted")) || ((data44.triggered === undefined) && (missing7 = "triggered"))) || ((data44.noticed === undefined) && (missing7 = "noticed"))) || ((data44.found === undefined) && (missing7 = "found"))) || ((data44.named === undefined) && (missing7 = "named"))){
validate20.errors = [{instancePath:instancePath+"/tiers/" + i1+"/prose",schemaPath:"#/$defs/cell/required",keyword:"required",params:{missingProperty: missing7},message:"must have required property '"+missing7+"'"}];
return false;
}
else {
if(data44.planted !== undefined){
let data45 = data44.planted;
const _errs92 = errors;
if(!(((typeof data45 == "number") && (!(data45 % 1) && !isNaN(data45))) && (isFinite(data45)))){
validate20.errors = [{instancePath:instancePath+"/tiers/" + i1+"/prose/planted",schemaPath:"#/$defs/cell/properties/planted/type",keyword:"type",params:{type: "integer"},message:"must be integer"}];
return false;
}
if(errors === _errs92){
if((typeof data45 == "number") && (isFinite(data45))){
if(data45 < 0 || isNaN(data45)){
validate20.errors = [{instancePath:instancePath+"/tiers/" + i1+"/prose/planted",schemaPath:"#/$defs/cell/properties/planted/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"}];
return false;
}
}
}
var valid11 = _errs92 === errors;
}
else {
var valid11 = true;
}
if(valid11){
if(data44.triggered !== undefined){
let data46 = data44.triggered;
const _errs94 = errors;
if(!(((typeof data46 == "number") && (!(data46 % 1) && !isNaN(data46))) && (isFinite(data46)))){
validate20.errors = [{instancePath:instancePath+"/tiers/" + i1+"/prose/triggered",schemaPath:"#/$defs/cell/properties/triggered/type",keyword:"type",params:{type: "integer"},message:"must be integer"}];
return false;
}
if(errors === _errs94){
if((typeof data46 == "number") && (isFinite(data46))){
if(data46 < 0 || isNaN(data46)){
validate20.errors = [{instancePath:instancePath+"/tiers/" + i1+"/prose/triggered",schemaPath:"#/$defs/cell/properties/triggered/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"}];
return false;
}
}
}
var valid11 = _errs94 === errors;
}
else {
var valid11 = true;
}
if(valid11){
if(data44.noticed !== undefined){
let data47 = data44.noticed;
const _errs96 = errors;
if(!(((typeof data47 == "number") && (!(data47 % 1) && !isNaN(data47))) && (isFinite(data47)))){
validate20.errors = [{instancePath:instancePath+"/tiers/" + i1+"/prose/noticed",schemaPath:"#/$defs/cell/properties/noticed/type",keyword:"type",params:{type: "integer"},message:"must be integer"}];
return false;
}
if(errors === _errs96){
if((typeof data47 == "number") && (isFinite(data47))){
if(data47 < 0 || isNaN(data47)){
validate20.errors = [{instancePath:instancePath+"/tiers/" + i1+"/prose/noticed",schemaPath:"#/$defs/cell/properties/noticed/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"}];
return false;
}
}
}
var valid11 = _errs96 === errors;
}
else {
var valid11 = true;
}
if(valid11){
if(data44.found !== undefined){
let data48 = data44.found;
const _errs98 = errors;
if(!(((typeof data48 == "number") && (!(data48 % 1) && !isNaN(data48))) && (isFinite(data48)))){
validate20.errors = [{instancePath:instancePath+"/tiers/" + i1+"/prose/found",schemaPath:"#/$defs/cell/properties/found/type",keyword:"type",params:{type: "integer"},message:"must be integer"}];
return false;
}
if(errors === _errs98){
if((typeof data48 == "number") && (isFinite(data48))){
if(data48 < 0 || isNaN(data48)){
validate20.errors = [{instancePath:instancePath+"/tiers/" + i1+"/prose/found",schemaPath:"#/$defs/cell/properties/found/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"}];
return false;
}
}
}
var valid11 = _errs98 === errors;
}
else {
var valid11 = true;
}
if(valid11){
if(data44.named !== undefined){
let data49 = data44.named;
const _errs100 = errors;
if(!(((typeof data49 == "number") && (!(data49 % 1) && !isNaN(data49))) && (isFinite(data49)))){
validate20.errors = [{instancePath:instancePath+"/tiers/" + i1+"/prose/named",schemaPath:"#/$defs/cell/properties/named/type",keyword:"type",params:{type: "integer"},message:"must be integer"}];
return false;
}
if(errors === _errs100){
if((typeof data49 == "number") && (isFinite(data49))){
if(data49 < 0 || isNaN(data49)){
validate20.errors = [{instancePath:instancePath+"/tiers/" + i1+"/prose/named",schemaPath:"#/$defs/cell/properties/named/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"}];
return false;
}
}
}
var valid11 = _errs100 === errors;
}
else {
var valid11 = true;
}
}
}
}
}
}
}
else {
validate20.errors = [{instancePath:instancePath+"/tiers/" + i1+"/prose",schemaPath:"#/$defs/cell/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
var valid7 = _errs89 === errors;
}
else {
var valid7 = true;
}
}
}
}
}
else {
validate20.errors = [{instancePath:instancePath+"/tiers/" + i1,schemaPath:"#/properties/tiers/items/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
var valid6 = _errs72 === errors;
if(!valid6){
break;
}
}
}
else {
validate20.errors = [{instancePath:instancePath+"/tiers",schemaPath:"#/properties/tiers/type",keyword:"type",params:{type: "array"},message:"must be array"}];
return false;
}
}
var valid0 = _errs70 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.defects !== undefined){
let data50 = data.defects;
const _errs102 = errors;
if(errors === _errs102){
if(Array.isArray(data50)){
var valid12 = true;
const len2 = data50.length;
for(let i2=0; i2<len2; i2++){
const _errs104 = errors;
if(!(validate21(data50[i2], {instancePath:instancePath+"/defects/" + i2,parentData:data50,parentDataProperty:i2,rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate21.errors : vErrors.concat(validate21.errors);
errors = vErrors.length;
}
var valid12 = _errs104 === errors;
if(!valid12){
break;
}
}
}
else {
validate20.errors = [{instancePath:instancePath+"/defects",schemaPath:"#/properties/defects/type",keyword:"type",params:{type: "array"},message:"must be array"}];
return false;
}
}
var valid0 = _errs102 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.falseAlarms !== undefined){
let data52 = data.falseAlarms;
const _errs105 = errors;
if(errors === _errs105){
if(Array.isArray(data52)){
var valid13 = true;
const len3 = data52.length;
for(let i3=0; i3<len3; i3++){
const _errs107 = errors;
if(typeof data52[i3] !== "string"){
validate20.errors = [{instancePath:instancePath+"/falseAlarms/" + i3,schemaPath:"#/properties/falseAlarms/items/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid13 = _errs107 === errors;
if(!valid13){
break;
}
}
}
else {
validate20.errors = [{instancePath:instancePath+"/falseAlarms",schemaPath:"#/properties/falseAlarms/type",keyword:"type",params:{type: "array"},message:"must be array"}];
return false;
}
}
var valid0 = _errs105 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.groundless !== undefined){
let data54 = data.groundless;
const _errs109 = errors;
if(errors === _errs109){
if(Array.isArray(data54)){
var valid14 = true;
const len4 = data54.length;
for(let i4=0; i4<len4; i4++){
const _errs111 = errors;
if(typeof data54[i4] !== "string"){
validate20.errors = [{instancePath:instancePath+"/groundless/" + i4,schemaPath:"#/properties/groundless/items/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid14 = _errs111 === errors;
if(!valid14){
break;
}
}
}
else {
validate20.errors = [{instancePath:instancePath+"/groundless",schemaPath:"#/properties/groundless/type",keyword:"type",params:{type: "array"},message:"must be array"}];
return false;
}
}
var valid0 = _errs109 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.short !== undefined){
let data56 = data.short;
const _errs113 = errors;
if(errors === _errs113){
if(Array.isArray(data56)){
var valid15 = true;
const len5 = data56.length;
for(let i5=0; i5<len5; i5++){
const _errs115 = errors;
if(typeof data56[i5] !== "string"){
validate20.errors = [{instancePath:instancePath+"/short/" + i5,schemaPath:"#/properties/short/items/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid15 = _errs115 === errors;
if(!valid15){
break;
}
}
}
else {
validate20.errors = [{instancePath:instancePath+"/short",schemaPath:"#/properties/short/type",keyword:"type",params:{type: "array"},message:"must be array"}];
return false;
}
}
var valid0 = _errs113 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.reached !== undefined){
let data58 = data.reached;
const _errs117 = errors;
if(errors === _errs117){
if(Array.isArray(data58)){
var valid16 = true;
const len6 = data58.length;
for(let i6=0; i6<len6; i6++){
const _errs119 = errors;
if(typeof data58[i6] !== "string"){
validate20.errors = [{instancePath:instancePath+"/reached/" + i6,schemaPath:"#/properties/reached/items/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid16 = _errs119 === errors;
if(!valid16){
break;
}
}
}
else {
validate20.errors = [{instancePath:instancePath+"/reached",schemaPath:"#/properties/reached/type",keyword:"type",params:{type: "array"},message:"must be array"}];
return false;
}
}
var valid0 = _errs117 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.runs !== undefined){
let data60 = data.runs;
const _errs121 = errors;
if(errors === _errs121){
if(Array.isArray(data60)){
var valid17 = true;
const len7 = data60.length;
for(let i7=0; i7<len7; i7++){
const _errs123 = errors;
if(!(validate23(data60[i7], {instancePath:instancePath+"/runs/" + i7,parentData:data60,parentDataProperty:i7,rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate23.errors : vErrors.concat(validate23.errors);
errors = vErrors.length;
}
var valid17 = _errs123 === errors;
if(!valid17){
break;
}
}
}
else {
validate20.errors = [{instancePath:instancePath+"/runs",schemaPath:"#/properties/runs/type",keyword:"type",params:{type: "array"},message:"must be array"}];
return false;
}
}
var valid0 = _errs121 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
else {
validate20.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
validate20.errors = vErrors;
return errors === 0;
}
validate20.evaluated = {"props":{"plantStoreGrading":true,"environment":true,"service":true,"tester":true,"options":true,"startedAt":true,"endedAt":true,"halt":true,"planted":true,"tiers":true,"defects":true,"falseAlarms":true,"groundless":true,"short":true,"reached":true,"runs":true},"dynamicProps":false,"dynamicItems":false};

