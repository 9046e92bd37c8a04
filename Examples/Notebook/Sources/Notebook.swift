import Tenure
